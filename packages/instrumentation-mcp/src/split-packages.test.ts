import { fileURLToPath } from 'node:url';
import { Client, ProtocolError, SdkError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent, installConnectionWatch } from '@reenact/instrumentation';
import { RecordedCalls } from '@reenact/instrumentation/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { instrumentMcpClient } from './index.ts';
import { buy } from './testdata/buyer.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';

// The SDK split into a client and a server package: version 2 of it, which also speaks a newer protocol.
let shop: RunningShop;
let calls: RecordedCalls;
let detach: () => void;
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());
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

const splitServer = fileURLToPath(new URL('./testdata/serve-split.ts', import.meta.url));
const splitCommand = { command: process.execPath, args: ['--no-warnings', splitServer] };

/** A client that can be asked; `log` is what it was asked. */
function askedClient(versionNegotiation: Negotiation, log: unknown[]): Client {
  const capabilities = { elicitation: { form: {} }, sampling: {} };
  const options = versionNegotiation === undefined ? { capabilities } : { capabilities, versionNegotiation };
  const client = instrumentMcpClient(new Client({ name: 'buyer', version: '2.0.0' }, options));
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    log.push(params.message);
    return { action: 'accept', content: { isWise: true } };
  });
  client.setRequestHandler('sampling/createMessage', async () => {
    log.push('sampled');
    return { model: 'mine', role: 'assistant', content: { type: 'text', text: 'wise' } };
  });
  return client;
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
    const started: unknown[] = [];
    const act = async (): Promise<unknown> => {
      const client = clientOf({ mode: 'auto' });
      const transport = new StdioClientTransport(splitCommand);
      await client.connect(transport);
      started.push(typeof Reflect.get(transport, '_process'));
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
    expect(started).toEqual(['object', 'undefined']);
    const sum = calls.facts.find(({ boundary }) => boundary.name === 'split/add');
    expect([sum?.boundary.effect, sum?.slim['mcp.protocol.version']]).toEqual(['read', '2026-07-28']);
  });
});

describe('what a server says to a client of the split packages', () => {
  it('is lacking in a run that asks for it by `listen`, which a replay refuses', async () => {
    const unwatch = installConnectionWatch();
    await agent('listening', async () => {
      const client = clientOf({ mode: 'auto' });
      await client.connect(new StdioClientTransport(splitCommand));
      const { honoredFilter } = await client.listen({ toolsListChanged: true });
      expect(honoredFilter).toEqual({ toolsListChanged: true });
      await client.close();
    })();
    unwatch();
    const run = calls.facts.find(({ boundary }) => boundary.name === 'listening');
    const mark = '/connections/what the MCP server split tells who listens (subscriptions/listen)';
    expect(run?.lossy).toEqual([mark]);
  });

  it('hears again what a server of the old package says and asks meanwhile', async () => {
    const log: unknown[] = [];
    const act = async (): Promise<unknown> => {
      const client = askedClient({ mode: 'auto' }, log);
      await client.connect(new StdioClientTransport(shop.command));
      const onprogress = (progress: unknown): unknown => log.push(progress);
      const { content } = await client.callTool({ name: 'consult', arguments: {} }, { onprogress });
      await client.close();
      return [content, new Set(log.splice(0))];
    };
    const recorded = await act();
    const player = new CallPlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect([player.refusals, player.left]).toEqual([[], []]);
    expect(recorded).toEqual([expect.anything(), new Set([{ progress: 1 }, { progress: 2 }, 'How many?', 'sampled'])]);
  });

  it('answers again what a server of the newer protocol asks inside its result', async () => {
    const log: unknown[] = [];
    const act = async (): Promise<unknown> => {
      const client = askedClient({ mode: 'auto' }, log);
      await client.connect(new StdioClientTransport(splitCommand));
      const onprogress = (progress: unknown): unknown => log.push(progress);
      const { content } = await client.callTool({ name: 'deploy', arguments: { to: 'here' } }, { onprogress });
      await client.close();
      return [content, new Set(log.splice(0))];
    };
    const recorded = await act();
    const question = calls.facts.find(({ boundary }) => boundary.name === 'split/elicitation/create');
    expect(question?.outcome.value?.payload.data).toContain('"isWise":true');
    const player = new CallPlayer(calls.crossings());
    expect(await player.during(act)).toEqual(recorded);
    expect([player.refusals, player.left, player.outcomes.length]).toEqual([[], [], 2]);
    const asked = [{ progress: 1, message: expect.stringContaining('round 1') }, 'To here?'];
    expect(recorded).toEqual([[{ type: 'text', text: 'deployed: true' }], new Set(asked)]);
    expect(calls.facts.flatMap(({ lossy }) => lossy)).toEqual([]);
  });
});
