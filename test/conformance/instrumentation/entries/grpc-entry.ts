import * as grpc from '@grpc/grpc-js';
import { GrpcInstrumentation } from '@reenact/instrumentation-grpc';
import {
  type EntryLibrary,
  type EntryQuestion,
  type EntryServer,
  type EntryWork,
  GIVES_UP_MS,
  type SeenAnswer,
} from './entry-library.ts';

const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const parsed = <Value>(bytes: Buffer): Value => JSON.parse(bytes.toString('utf8')) as Value;

/** Asked once, answered message by message: what the other rows do with one request. */
const service = {
  ask: {
    path: '/shop.Desk/Ask',
    requestStream: false,
    responseStream: true,
    requestSerialize: bytesOf,
    requestDeserialize: parsed<EntryQuestion>,
    responseSerialize: bytesOf,
    responseDeserialize: parsed<string>,
  },
} as const satisfies grpc.ServiceDefinition;

async function answer(call: grpc.ServerWritableStream<EntryQuestion, string>, work: EntryWork): Promise<void> {
  try {
    const { status, parts } = await work(call.request);
    if (status === 429) throw Object.assign(new Error('slow down'), { code: grpc.status.RESOURCE_EXHAUSTED });
    for await (const part of parts) call.write(part);
    call.end();
  } catch (error) {
    call.emit('error', error);
  }
}

async function start(work: EntryWork): Promise<EntryServer> {
  const server = new grpc.Server();
  server.addService(service, {
    ask: (call: grpc.ServerWritableStream<EntryQuestion, string>) => void answer(call, work),
  });
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return {
    port,
    stop: async () => server.forceShutdown(),
  };
}

function ask(port: number, question: EntryQuestion): Promise<SeenAnswer> {
  return new Promise((resolve) => {
    const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = service.ask;
    const call = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, question);
    const body: string[] = [];
    let end: SeenAnswer['end'] = 'whole';
    const leave = (): void => {
      end = 'left';
      call.cancel();
    };
    call.on('data', (part: string) => {
      body.push(part);
      if (question.asks === 'client leaves') leave();
    });
    const waiting = question.asks === 'timeout' ? setTimeout(leave, GIVES_UP_MS) : undefined;
    call.on('error', () => {
      if (end === 'whole') end = 'broken off';
    });
    call.on('status', ({ code }) => {
      clearTimeout(waiting);
      client.close();
      resolve({ status: code, body, end });
    });
  });
}

/** A server of `@grpc/grpc-js`. */
export const grpcEntry: EntryLibrary = {
  name: '`@grpc/grpc-js`',
  start,
  ask,
  patch: () => {
    const instrumentation = new GrpcInstrumentation({ outbound: false });
    instrumentation.instrumentGrpc(grpc);
    return () => instrumentation.disable();
  },
  patched: () => [[grpc.Server.prototype, 'register']],
  run: 'agent:shop.Desk/Ask',
  loaded: 'Clients and servers are patched by one hook, and the row of the client proves that it finds the package.',
};
