import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { OTLPTraceExporter as GrpcExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { SpanExporter } from '@opentelemetry/sdk-trace-node';
import { RecordingProcessor, tool } from 'reenact';
import { afterEach, describe, expect, it, vi } from 'vitest';

/** What a receiver is made to answer, whatever it is sent. */
interface Answer {
  readonly json: string;
  readonly protobuf: string;
}

const WHOLE: Answer = { json: '{"partialSuccess":{}}', protobuf: '' };
/** `partial_success { rejected_spans: 2, error_message: "too old" }` */
const TWO_REJECTED: Answer = {
  json: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}',
  protobuf: '\n\x0b\x08\x02\x12\x07too old',
};
/** More than were sent, in a message of 60 bytes, whose length is what a page begins with. */
const ALL_REJECTED: Answer = {
  json: '{"partialSuccess":{"rejectedSpans":"9007199254740991","errorMessage":"too old"}}',
  protobuf: `\n<\x08\x7f\x12\x38${'too old '.repeat(7)}`,
};
const PAGE: Answer = { json: '\n<!doctype html><title>Shop</title>', protobuf: '<html></html>' };

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const identity = (bytes: Buffer): Buffer => bytes;

let close: (() => void) | undefined;
afterEach(() => {
  close?.();
  vi.restoreAllMocks();
});

async function httpUrl(answer: string): Promise<string> {
  const server: HttpServer = createServer((request, response) => {
    request.resume().on('end', () => response.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  close = () => server.close();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

async function grpcUrl(answer: string): Promise<string> {
  const server = new GrpcServer();
  const method = {
    path: EXPORT,
    requestStream: false,
    responseStream: false,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  } as const;
  server.addService(
    { Export: method },
    {
      Export: (_call: unknown, done: (error: null, bytes: Buffer) => void) => done(null, Buffer.from(answer, 'latin1')),
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  close = () => server.forceShutdown();
  return `http://127.0.0.1:${port}`;
}

const EXPORTERS: readonly (readonly [string, (answer: Answer) => Promise<SpanExporter>])[] = [
  ['OTLP/HTTP JSON', async ({ json }) => new JsonExporter({ url: await httpUrl(json) })],
  ['OTLP/HTTP protobuf', async ({ protobuf }) => new ProtobufExporter({ url: await httpUrl(protobuf) })],
  ['OTLP/gRPC', async ({ protobuf }) => new GrpcExporter({ url: await grpcUrl(protobuf) })],
];

/** Records three crossings and delivers them; what of them waits after that, and what is lost. */
async function deliverThree(exporter: SpanExporter): Promise<{ waiting: number; dropped: unknown; failure: unknown }> {
  const processor = new RecordingProcessor(exporter, { retryDelayMs: 60_000 });
  for (const name of ['a', 'b', 'c']) tool(name, () => name)();
  const waiting = await processor.flush();
  const outcome = { waiting, dropped: [...processor.dropped()], failure: processor.failure() };
  await processor.shutdown();
  return outcome;
}

describe.each(EXPORTERS)('what a receiver answers over %s', (_, exporterFor) => {
  it('may be that it has taken everything', async () => {
    expect(await deliverThree(await exporterFor(WHOLE))).toEqual({ waiting: 0, dropped: [], failure: undefined });
  });

  it('may be that it rejected some spans for good: they are counted and told of with its reason', async () => {
    const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await deliverThree(await exporterFor(TWO_REJECTED))).toMatchObject({
      waiting: 0,
      dropped: [['refused', 2]],
    });
    expect(stderr.mock.calls.map(([text]) => String(text))).toEqual([expect.stringContaining('(too old)')]);
  });

  it('may be that it rejected more than it was sent: no more are counted than that', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    expect(await deliverThree(await exporterFor(ALL_REJECTED))).toMatchObject({
      waiting: 0,
      dropped: [['refused', 3]],
    });
  });
});

describe.each(EXPORTERS.filter(([name]) => name.includes('HTTP')))(
  'what is no receiver answers over %s',
  (_, exporterFor) => {
    it('may be a page for people: nothing has been taken, and everything waits', async () => {
      vi.spyOn(process.stderr, 'write').mockReturnValue(true);
      expect(await deliverThree(await exporterFor(PAGE))).toMatchObject({
        waiting: 3,
        failure: 'it answers with a web page, as no collector does',
      });
    });
  },
);

describe('a receiver over OTLP/HTTP that asks to be left alone', () => {
  it('is not sent anything for as long as it asks', async () => {
    const askedSeconds = 2;
    const requestedMs: number[] = [];
    const again = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      requestedMs.push(performance.now());
      if (requestedMs.length === 1) response.writeHead(503, { 'retry-after': String(askedSeconds) });
      else again.resolve();
      request.resume().on('end', () => response.end(WHOLE.json));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    close = () => server.close();
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
    // The exporter has no time to wait for that itself.
    const processor = new RecordingProcessor(new JsonExporter({ url, timeoutMillis: 1_000 }), { retryDelayMs: 1 });
    tool('a', () => 'a')();
    expect(await processor.flush()).toBe(1);
    await again.promise;
    const [first = 0, second = 0] = requestedMs;
    expect(second - first).toBeGreaterThanOrEqual(askedSeconds * 1_000);
    await processor.shutdown();
  });
});
