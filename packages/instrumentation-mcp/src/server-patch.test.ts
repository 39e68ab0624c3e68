import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import { installDedicatedPlayer, type Player, positionOf } from '@reenact/instrumentation';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instrumentMcpServer } from './index.ts';
import { patchServer } from './server-patch.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let seen: unknown[];
beforeEach(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  );
  seen = [];
});
afterEach(() => {
  context.disable();
  propagation.disable();
});

function observe(): void {
  const active = context.active();
  const baggage = propagation.getBaggage(active)?.getAllEntries();
  seen.push([trace.getSpanContext(active)?.spanId, baggage?.map(([key]) => key), positionOf(active)?.cursor]);
}

async function callWith(server: McpServer, meta: object): Promise<void> {
  server.registerTool('observe', {}, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    observe();
    return { content: [] };
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'c', version: '1' });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  await client.callTool({ name: 'observe', arguments: {}, _meta: { ...meta } });
  await client.close();
}

function shop(): McpServer {
  return new McpServer({ name: 's', version: '1' });
}

describe('a server of the SDK', () => {
  it('runs its handlers in the trace and with the baggage of the caller', async () => {
    await callWith(instrumentMcpServer(shop()), { traceparent, baggage: 'tenant=acme' });
    expect(seen).toEqual([['b7ad6b7169203331', ['tenant'], undefined]]);
  });

  it('is patched by class and restored exactly', async () => {
    const before = Object.getOwnPropertyDescriptors(Server.prototype);
    const undo = patchServer(Server.prototype);
    await callWith(shop(), { traceparent });
    undo();
    await callWith(shop(), { traceparent });
    expect(seen).toEqual([
      ['b7ad6b7169203331', undefined, undefined],
      [undefined, undefined, undefined],
    ]);
    expect(Object.getOwnPropertyDescriptors(Server.prototype)).toEqual(before);
  });

  it.each([[{}], [{ traceparent: 'nonsense' }], [{ traceparent: 7, baggage: { a: 1 } }]])(
    'handles a request as before where no context came: %j',
    async (meta) => {
      await callWith(instrumentMcpServer(shop()), meta);
      expect(seen).toEqual([[undefined, undefined, undefined]]);
    },
  );

  it('takes the position of a replay only where the process takes part in one that knows it', async () => {
    const player = {
      positionOfToken: (token: string) => (token === 'genuine' ? { player, cursor: 'abc' } : undefined),
    } as unknown as Player;
    const baggage = (token: string): object => ({ baggage: `reenact.replay=${token},tenant=acme` });
    await callWith(instrumentMcpServer(shop()), baggage('genuine'));
    const uninstall = installDedicatedPlayer(player);
    await callWith(instrumentMcpServer(shop()), baggage('forged'));
    await callWith(instrumentMcpServer(shop()), baggage('genuine'));
    uninstall();
    expect(seen).toEqual([
      [undefined, ['tenant'], undefined],
      [undefined, ['tenant'], undefined],
      [undefined, ['tenant'], 'abc'],
    ]);
  });

  it('refuses what is no server', () => {
    expect(() => instrumentMcpServer({})).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});
