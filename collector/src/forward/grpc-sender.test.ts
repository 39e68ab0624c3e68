import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseCollectorConfig } from '../config.ts';
import { GrpcSender } from './grpc-sender.ts';

/** Takes connections and never says anything. */
let silent: Server;
beforeEach(async () => {
  silent = createServer((socket) => socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => {
    silent.listen(0, '127.0.0.1', resolve);
  });
});
afterEach(() => silent.close());

it.each([true, false])(
  'gives up a delivery that is cut, also where that was so before it began: %s',
  async (isBefore) => {
    const { limits } = parseCollectorConfig({ limits: { forwardTimeoutMs: 2000 } });
    const sender = new GrpcSender({
      url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      headers: {},
      access: { ca: undefined, certificate: undefined, key: undefined, token: undefined },
      limits,
    });
    const abort = new AbortController();
    if (isBefore) abort.abort();
    const request = { format: 'protobuf', body: new Uint8Array(0), passed: [] } as const;
    const delivery = sender.deliver('traces', request, abort.signal);
    abort.abort();
    expect(await delivery).toMatchObject({ type: 'retry', reason: expect.stringContaining('gRPC CANCELLED') });
    sender.close();
  },
);
