import { fileURLToPath } from 'node:url';
import { Client, ProtocolError, SdkError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';
import { buy } from './testdata/buyer.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';

// The SDK split into a client and a server package: version 2 of it, which also speaks a newer protocol.
let shop: RunningShop;
let calls: RecordedCalls;
let detach: () => void;
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  detach = calls.attach();
});
afterEach(async () => {
  detach();
  await shop.stop();
});

type Negotiation = NonNullable<ConstructorParameters<typeof Client>[1]>['versionNegotiation'];

function clientOf(versionNegotiation: Negotiation): Client {
  const options = versionNegotiation === undefined ? {} : { versionNegotiation };
  return instrumentMcpClient(new Client({ name: 'buyer', version: '2.0.0' }, options));
}

/** The old package has a result schema between a tool call and its options. */
function asOldClient(client: Client): OldClient {
  const callTool = client.callTool.bind(client);
  Object.defineProperty(client, 'callTool', {
    value: (call: Parameters<typeof callTool>[0], _: unknown, options: Parameters<typeof callTool>[1]) =>
      callTool(call, options),
  });
  return client as unknown as OldClient;
}

describe('a client of the split packages', () => {
  it.each<[string, Negotiation]>([
    ['as it was', undefined],
    ['negotiated', { mode: 'auto' }],
  ])('replays a server of the old package without it, the handshake %s', async (_, negotiation) => {
    const act = (): Promise<unknown> =>
      buy(
        asOldClient(clientOf(negotiation)),
        new StdioClientTransport(shop.command) as Transport,
        ProtocolError as unknown as typeof McpError,
      );
    const recorded = await act();
    const player = new CallPlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect([player.refusals, shop.effects]).toEqual([[], 'order 1000\n']);
    expect(recorded).toMatchObject({
      unknown: { isKnown: true },
      late: { class: 'SdkError' },
      finished: ['slow 1', 'slow 80'],
    });
    expect(calls.facts.flatMap(({ lossy }) => lossy)).toEqual([]);
  });

  it('replays a server that speaks the newer protocol without starting it', async () => {
    const program = fileURLToPath(new URL('./testdata/serve-split.ts', import.meta.url));
    const command = { command: process.execPath, args: ['--no-warnings', program] };
    const started: unknown[] = [];
    const act = async (): Promise<unknown> => {
      const client = clientOf({ mode: 'auto' });
      const transport = new StdioClientTransport(command);
      await client.connect(transport);
      started.push(typeof transport.pid);
      const about = [
        client.getServerVersion(),
        client.getServerCapabilities(),
        client.getInstructions(),
        client.getDiscoverResult(),
      ];
      const { tools } = await client.listTools();
      const sum = await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } });
      const refused: unknown = await client.callTool({ name: 'none', arguments: {} }).catch((error: unknown) => error);
      await client.close();
      return [about, tools, sum, refused instanceof ProtocolError || refused instanceof SdkError, String(refused)];
    };
    const recorded = await act();
    const player = new CallPlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect(player.refusals).toEqual([]);
    expect(started).toEqual(['number', 'object']);
    const sum = calls.facts.find(({ boundary }) => boundary.name === 'split/add');
    expect([sum?.boundary.effect, sum?.slim['mcp.protocol.version']]).toEqual(['read', '2026-07-28']);
  });
});
