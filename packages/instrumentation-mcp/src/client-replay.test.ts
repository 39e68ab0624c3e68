import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { admit } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patchClient } from './client-patch.ts';
import { buy } from './testdata/buyer.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';

const before = Object.getOwnPropertyDescriptors(Client.prototype);
const info = { name: 'buyer', version: '1.0.0' };
let shop: RunningShop;
let calls: RecordedCalls;
let undo: () => void;
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  calls.attach();
  undo = patchClient(Client.prototype, { admit, capture: 'full', sdk: undefined });
});
afterEach(async () => {
  undo();
  expect(Object.getOwnPropertyDescriptors(Client.prototype)).toEqual(before);
  await shop.stop();
});

const transports: readonly (readonly [string, (shop: RunningShop) => Promise<() => Transport>])[] = [
  [
    'stdio',
    async ({ command }) =>
      () =>
        new StdioClientTransport(command),
  ],
  [
    'streamable HTTP',
    async (running) => {
      const url = await running.listen();
      return () => new StreamableHTTPClientTransport(url) as Transport;
    },
  ],
];

describe.each(transports)('a client over %s', (_, start) => {
  it('is recorded, and replayed with equal results, errors and order while the server is gone', async () => {
    const transportOf = await start(shop);
    const recorded = await buy(new Client(info), transportOf(), McpError);
    await shop.kill();
    expect(recorded).toMatchObject({
      finished: ['slow 1', 'slow 80'],
      failed: { isError: true },
      unknown: { isKnown: true, class: 'McpError', fields: { code: -32602 } },
      late: { isKnown: true, fields: { code: -32001 } },
      isSameTransport: true,
      afterClose: { message: 'Not connected' },
    });
    expect(shop.effects).toBe('order 1000\n');
    const player = new CallPlayer(calls.crossings());
    const transport = transportOf();
    const replayed = await player.during(() => buy(new Client(info), transport, McpError));
    expect(replayed).toEqual(recorded);
    expect([player.refusals, shop.effects]).toEqual([[], 'order 1000\n']);
    expect(Reflect.get(transport, '_process') ?? Reflect.get(transport, '_abortController')).toBeUndefined();
  });
});

it('has the recorded number of its process over stdio until it is closed, though none is started', async () => {
  const connected = async (): Promise<readonly unknown[]> => {
    const client = new Client(info);
    const transport = new StdioClientTransport(shop.command);
    await client.connect(transport);
    const { pid } = transport;
    await client.close();
    return [pid, transport.pid];
  };
  const recorded = await connected();
  const replayed = await new CallPlayer(calls.crossings()).during(connected);
  expect([recorded[0], recorded[1]]).toEqual([expect.any(Number), null]);
  expect(replayed).toEqual(recorded);
});
