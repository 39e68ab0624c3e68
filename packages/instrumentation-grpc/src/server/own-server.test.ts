import * as grpc from '@grpc/grpc-js';
import { markOwnServer } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patchGrpc, recordAct } from '../testdata/grpc-suite.ts';

let undo: () => void;
beforeAll(() => {
  undo = patchGrpc({ inbound: true, outbound: false });
});
afterAll(() => undo());

const same = (bytes: Buffer): Buffer => bytes;

/** Starts a server that echoes, asks it once, and stops it. */
async function askOnce(path: string, prepare: (server: grpc.Server) => void): Promise<void> {
  const server = new grpc.Server();
  prepare(server);
  const echo: grpc.handleUnaryCall<Buffer, Buffer> = (call, callback) => callback(null, call.request);
  server.register(path, echo, same, same, 'unary');
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
  await new Promise<void>((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, Buffer.from('x'), (error) =>
      error === null ? resolve() : reject(error),
    );
  });
  client.close();
  server.forceShutdown();
}

describe('a server of our own', () => {
  it('has no runs, and the servers beside it have', async () => {
    const { calls } = await recordAct(async () => {
      await askOnce('/own.Service/Ask', markOwnServer);
      await askOnce('/other.Service/Ask', () => undefined);
    });
    expect(calls.crossings().map(({ name }) => name)).toEqual([expect.stringContaining('other.Service')]);
  });
});
