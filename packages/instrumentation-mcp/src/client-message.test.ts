import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { gate, tool, withToolCallId } from '@reenact/instrumentation';
import { endOf, RecordedCalls } from '@reenact/instrumentation/testing';
import { ATTR_GEN_AI_TOOL_CALL_ID, ATTR_GEN_AI_TOOL_NAME } from '@reenact/semconv/gen-ai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';

let shop: RunningShop;
let calls: RecordedCalls;
let clients: Client[];
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  calls.attach();
  clients = [];
});
afterEach(async () => {
  propagation.disable();
  await Promise.all(clients.map((client) => client.close()));
  gate.detach(calls);
  await shop.stop();
});

function clientOf(): Client {
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '1.0.0' }));
  clients.push(client);
  return client;
}

async function connected(): Promise<Client> {
  const client = clientOf();
  await client.connect(new StdioClientTransport(shop.command));
  return client;
}

function textOf(result: unknown): string {
  const [first] = (result as CallToolResult).content;
  return first?.type === 'text' ? first.text : '';
}

const factsOf = (name: string): RecordedCalls['facts'][number] | undefined =>
  calls.facts.find(({ boundary }) => boundary.name === name);

describe('what is recorded of a message', () => {
  it('is its method, its parameters, what its caller says, and what its tool declares about its effect', async () => {
    const client = await connected();
    await client.callTool({ name: 'add', arguments: { left: 1, right: 1 } });
    await client.listTools();
    for (const [name, given] of [
      ['add', { left: 1, right: 1 }],
      ['place_order', { shares: 1 }],
      ['fail', {}],
    ] as const) {
      await client.callTool({ name, arguments: given, _meta: { 'my/key': 1 } });
    }
    await client.readResource({ uri: 'policy://x' });
    expect(calls.facts.map(({ boundary }) => [boundary.name, boundary.effect])).toEqual([
      ['stdio/initialize', 'read'],
      ['shop/add', 'write'],
      ['shop/tools/list', 'read'],
      ['shop/add', 'read'],
      ['shop/place_order', 'destructive'],
      ['shop/fail', 'write'],
      ['shop/resources/read', 'read'],
    ]);
    expect(factsOf('shop/place_order')?.input?.payload.data).toBe(
      '{"method":"tools/call","params":{"name":"place_order","arguments":{"shares":1}},"_meta":{"my/key":1}}',
    );
    expect(calls.facts.flatMap(({ lossy }) => lossy)).toEqual([]);
    expect(factsOf('stdio/initialize')?.input?.payload.data).not.toContain(shop.command.args.at(-1));
  });

  it('reads as the conventions say', async () => {
    const client = await connected();
    await client.callTool({ name: 'fail', arguments: {} });
    await endOf(() => client.readResource({ uri: 'nothing://here' }));
    const failed = factsOf('shop/fail');
    expect([failed?.spanName, failed?.spanKind, failed?.status.code]).toEqual(['tools/call fail', 2, 2]);
    expect(failed?.slim).toMatchObject({
      'mcp.method.name': 'tools/call',
      [ATTR_GEN_AI_TOOL_NAME]: 'fail',
      'network.transport': 'pipe',
      'error.type': 'tool_error',
      'jsonrpc.request.id': '1',
    });
    expect(failed?.slim['mcp.protocol.version']).toMatch(/^\d{4}-/);
    expect(factsOf('shop/resources/read')?.slim).toMatchObject({
      'error.type': '-32602',
      'rpc.response.status_code': '-32602',
      'mcp.resource.uri': 'nothing://here',
    });
  });
});

describe('where a message stands in its run', () => {
  it('nests below the tool that made the call, whose tool call id it does not take', async () => {
    const client = await connected();
    const sum = tool('sum', () => client.callTool({ name: 'add', arguments: { left: 1, right: 1 } }));
    await withToolCallId('call-1', () => sum());
    await withToolCallId('call-2', () => client.callTool({ name: 'add', arguments: { left: 1, right: 1 } }));
    const [, nested, outer, direct] = calls.facts;
    expect([outer?.boundary.name, nested?.parentCrossing]).toEqual(['sum', outer?.spanContext.spanId]);
    expect([nested, outer, direct].map((facts) => facts?.slim[ATTR_GEN_AI_TOOL_CALL_ID])).toEqual([
      undefined,
      'call-1',
      'call-2',
    ]);
  });
});

describe('the trace context', () => {
  it('travels in params._meta with the id of the crossing, and what the caller wrote stays', async () => {
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    const client = await connected();
    const meta = JSON.parse(
      textOf(await client.callTool({ name: 'meta', arguments: {}, _meta: { 'my/key': 1 } })),
    ) as Record<string, unknown>;
    const { traceId, spanId } =
      factsOf('shop/meta')?.spanContext ??
      trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 }).spanContext();
    expect(meta).toEqual({ 'my/key': 1, traceparent: expect.stringContaining(`${traceId}-${spanId}`) });
  });

  it('changes nothing where the host has no propagator', async () => {
    const client = await connected();
    expect(textOf(await client.callTool({ name: 'meta', arguments: {} }))).toBe('{}');
  });
});

describe('a replay', () => {
  async function recording(): Promise<CallPlayer> {
    const client = await connected();
    await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } });
    await client.callTool({ name: 'meta', arguments: {} });
    return new CallPlayer(calls.crossings());
  }

  it('runs a tool live over a connection that is live, and tells the server its position', async () => {
    const player = await recording();
    player.live.add('stdio/initialize').add('shop/meta');
    const seen = await player.during(async () => {
      const client = await connected();
      return [
        await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } }),
        await client.callTool({ name: 'meta', arguments: {} }),
      ];
    });
    expect(seen[0]).toMatchObject({ structuredContent: { sum: 3 } });
    const cursor = factsOf('shop/meta')?.spanContext.spanId;
    expect(JSON.parse(textOf(seen[1]))).toMatchObject({ baggage: `reenact.replay=token-of-${cursor}` });
  });

  it('refuses a tool that is to run live over a connection that was served', async () => {
    const player = await recording();
    player.live.add('shop/meta');
    const { error } = await player.during(() =>
      endOf(async () => {
        const client = await connected();
        await client.callTool({ name: 'meta', arguments: {} });
      }),
    );
    expect(error).toMatchObject({
      code: 'replay-refused',
      next: expect.stringContaining('--live mcp:stdio/initialize'),
    });
  });

  it('refuses what was never recorded without sending it, and serves a connection that failed as one', async () => {
    const player = await recording();
    const { error } = await player.during(() =>
      endOf(async () => (await connected()).callTool({ name: 'place_order', arguments: { shares: 5 } })),
    );
    expect([error, shop.effects, player.refusals]).toEqual([
      expect.objectContaining({ code: 'replay-refused' }),
      '',
      ['mcp:shop/place_order was never recorded here'],
    ]);
    const nowhere = (): Promise<void> => clientOf().connect(new StdioClientTransport({ command: '/nowhere/at-all' }));
    const failed = await endOf(nowhere);
    const again = await new CallPlayer(calls.crossings().slice(-1)).during(() => endOf(nowhere));
    expect(failed.error).toMatchObject({ code: 'ENOENT' });
    expect(again.error).toMatchObject({ code: 'ENOENT', message: (failed.error as Error).message });
  });
});
