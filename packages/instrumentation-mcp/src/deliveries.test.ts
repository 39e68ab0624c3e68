import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { context, SpanKind } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { gate, tool } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';

let shop: RunningShop;
let calls: RecordedCalls;
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  calls.attach();
});
afterEach(async () => {
  gate.detach(calls);
  await shop.stop();
});

/** What a host does that a server asks things of; `log` is what happened, in the order in which it did. */
function listening(log: unknown[]): Client {
  const capabilities = { elicitation: {}, sampling: {}, roots: {} };
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }, { capabilities }));
  const think = tool('think', async (text: string) => `thought about ${text}`);
  client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
    log.push(params.message);
    await new Promise((resolve) => setImmediate(resolve));
    return { action: 'accept', content: { shares: 7 } };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
    const text = await think(JSON.stringify(params.messages));
    log.push(text);
    return { model: 'mine', role: 'assistant', content: { type: 'text', text } };
  });
  client.setRequestHandler(ListRootsRequestSchema, () => {
    log.push('roots');
    throw new RangeError('no roots here');
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, async ({ params }) => {
    log.push(await think(String(params.data)));
  });
  return client;
}

async function consult(transport: Transport): Promise<{ readonly result: unknown; readonly log: readonly unknown[] }> {
  const log: unknown[] = [];
  const client = listening(log);
  await client.connect(transport);
  const onprogress = (progress: unknown): unknown => log.push(progress);
  const result = await client.callTool({ name: 'consult', arguments: {} }, undefined, { onprogress });
  log.push('result');
  await client.close();
  return { result, log };
}

const transports: readonly (readonly [string, () => Promise<() => Transport>])[] = [
  ['stdio', async () => () => new StdioClientTransport(shop.command)],
  [
    'streamable HTTP',
    async () => {
      const url = await shop.listen();
      return () => new StreamableHTTPClientTransport(url) as Transport;
    },
  ],
];

describe.each(transports)('what a server says while it is asked, over %s', (_, start) => {
  it('is recorded inside the request, with what the host does about it', async () => {
    await consult((await start())());
    const outer = calls.facts.find(({ boundary }) => boundary.name === 'shop/consult');
    const inside = calls.facts.filter(({ parentCrossing }) => parentCrossing === outer?.spanContext.spanId);
    const said = ['elicitation/create', 'notifications/message', 'notifications/progress', 'notifications/progress'];
    // Two that come at once settle as the SDK hands them on.
    expect(inside.map(({ boundary, spanName, spanKind }) => [boundary.name, spanName, spanKind]).sort()).toEqual(
      [...said, 'roots/list', 'sampling/createMessage'].map((method) => [`shop/${method}`, method, SpanKind.SERVER]),
    );
    const thoughts = calls.facts.filter(({ boundary }) => boundary.name === 'think');
    const places = thoughts.map(
      ({ parentCrossing }) => inside.find(({ spanContext }) => spanContext.spanId === parentCrossing)?.spanName,
    );
    expect(places).toEqual(['notifications/message', 'sampling/createMessage']);
    const answered = inside.find(({ spanName }) => spanName === 'elicitation/create');
    expect(answered?.input?.payload.data).toContain('"message":"How many?"');
    expect(answered?.outcome.value?.payload.data).toBe('{"result":{"action":"accept","content":{"shares":7}}}');
    expect(calls.facts.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('is said again in a replay, while the server is gone, and handled again', async () => {
    const transportOf = await start();
    const recorded = await consult(transportOf());
    await shop.kill();
    const player = new CallPlayer(calls.crossings());
    const replayed = await player.during(() => consult(transportOf()));
    // This player knows of no times; test/replay/deliveries.test.ts looks at the order.
    expect(new Set(replayed.log)).toEqual(new Set(recorded.log));
    expect(replayed.result).toEqual(recorded.result);
    expect(recorded.log).toHaveLength(7);
    expect(recorded.result).toMatchObject({ content: [{ text: expect.stringContaining('no roots here') }] });
    expect([player.refusals, player.changed, player.left]).toEqual([[], [], []]);
  });
});

describe('what a server says while several runs wait for it', () => {
  it('is in the recording of none of them, which say so, and reaches the host all the same', async () => {
    const log: unknown[] = [];
    const client = listening(log);
    const bothAsked = Promise.withResolvers<void>();
    client.setRequestHandler(ListRootsRequestSchema, async () => {
      log.push('roots');
      if (log.length === 2) bothAsked.resolve();
      await bothAsked.promise;
      return { roots: [] };
    });
    await client.connect(new StdioClientTransport(shop.command));
    // Nothing encloses the two: each is a run of its own.
    const ask = (): Promise<unknown> => client.callTool({ name: 'ask', arguments: {} });
    await Promise.all([ask(), ask()]);
    await client.close();
    expect(log).toEqual(['roots', 'roots']);
    const asked = calls.facts.filter(({ boundary }) => boundary.name === 'shop/ask');
    const mark = '/output a message of the server (roots/list) that may belong to another call is not replayed';
    expect(asked.map(({ lossy }) => lossy)).toEqual([[mark], [mark]]);
    expect(calls.facts.filter(({ boundary }) => boundary.name === 'shop/roots/list')).toEqual([]);
  });
});
