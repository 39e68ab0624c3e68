import http2 from 'node:http2';
import * as grpc from '@grpc/grpc-js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const path = '/shop.Desk/Ask';
const same = (bytes: Buffer): Buffer => bytes;
const method = {
  path,
  requestStream: false,
  responseStream: false,
  requestSerialize: same,
  requestDeserialize: same,
  responseSerialize: same,
  responseDeserialize: same,
};

let calls: RecordedCalls;
let detach: () => void;
const told: unknown[] = [];

beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  told.length = 0;
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(() => {
  detach();
  context.disable();
});

/** Answers one call by a server of grpc-js, asked by a client that nothing watches. */
async function answerOne(): Promise<void> {
  const server = new grpc.Server();
  server.addService(
    { ask: method },
    {
      ask: ({ request }: grpc.ServerUnaryCall<Buffer, Buffer>, answer: grpc.sendUnaryData<Buffer>) =>
        answer(null, request),
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  await new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, Buffer.from('words'), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  await calls.settled(1);
  client.close();
  await new Promise((resolve) => server.tryShutdown(resolve));
}

function names(): string[] {
  return calls.facts.map(({ boundary }) => `${boundary.kind}:${boundary.name}`);
}

describe('a gRPC call that a server of HTTP/2 carries', () => {
  it('is one run, that of the instrumentation nearest to its handler', async () => {
    const http = new HttpInstrumentation({ outbound: false, onListening: (address) => told.push(address.protocol) });
    const rpc = new GrpcInstrumentation({ outbound: false, onListening: ({ protocol }) => told.push(protocol) });
    rpc.instrumentGrpc(grpc);
    await answerOne();
    rpc.disable();
    http.disable();
    expect(names()).toEqual(['agent:shop.Desk/Ask']);
    expect(told).toEqual(['grpc']);
  });

  it('is a request of HTTP/2 where nothing watches gRPC, with its status as a trailer', async () => {
    const http = new HttpInstrumentation({ outbound: false });
    await answerOne();
    http.disable();
    expect(names()).toEqual([`agent:POST ${path}`]);
    expect(JSON.parse(calls.only.outcome.value?.payload.data ?? '')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'application/grpc+proto' },
      trailers: { 'grpc-status': '0' },
    });
  });
});

describe('a server of HTTP/2 that tells where it listens', () => {
  it.each([
    [() => http2.createServer(), { protocol: 'http', httpVersions: ['2'] }],
    [() => http2.createSecureServer(), { protocol: 'https', httpVersions: ['2'] }],
    [() => http2.createSecureServer({ allowHTTP1: true }), { protocol: 'https', httpVersions: ['2', '1.1'] }],
  ])('says what it understands', async (make, expected) => {
    const http = new HttpInstrumentation({ outbound: false, onListening: (address) => told.push(address) });
    const server = make();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => server.close(() => resolve()));
    http.disable();
    expect(told).toMatchObject([expected]);
  });
});
