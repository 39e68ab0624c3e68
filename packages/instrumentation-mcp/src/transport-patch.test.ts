import { createMCPClient, type MCPTransport } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { StdioClientTransport as SplitTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { admit, gate } from '@reenact/instrumentation';
import { endOf, RecordedCalls } from '@reenact/instrumentation/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { patchClient } from './client-patch.ts';
import { instrumentMcpTransport } from './index.ts';
import { buy } from './testdata/buyer.ts';
import { CallPlayer } from './testdata/call-player.ts';
import { RunningShop } from './testdata/running-shop.ts';
import { patchTransport } from './transport-patch.ts';

interface Command {
  readonly command: string;
  readonly args: string[];
}

/** Answers the handshake and a list of tools; of any call it goes. */
const dyingServer = `
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
require('node:readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'tools/call') process.exit(3);
  if (method === 'initialize') {
    answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'dying', version: '1' } });
  } else if (id !== undefined) answer(id, { tools: [{ name: 'add', inputSchema: { type: 'object' } }] });
});`;

const transports = [
  ['the AI SDK', Experimental_StdioMCPTransport, (command: Command) => new Experimental_StdioMCPTransport(command)],
  [
    'version 1 of the SDK',
    StdioClientTransport,
    (command: Command) => new StdioClientTransport(command) as MCPTransport,
  ],
  ['version 2 of the SDK', SplitTransport, (command: Command) => new SplitTransport(command) as MCPTransport],
] as const;

/** What the AI SDK's client sees of a server; calls finish in another order than they began. */
async function shopping(transport: MCPTransport): Promise<unknown> {
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  const finished: unknown[] = [];
  const call = async (name: string, input: object): Promise<unknown> => {
    const result: unknown = await tools[name]?.execute?.(input as never, { messages: [], toolCallId: name } as never);
    finished.push([name, input]);
    return result;
  };
  const seen = {
    names: Object.keys(tools),
    parallel: await Promise.all([call('slow', { delayMs: 80 }), call('slow', { delayMs: 1 })]),
    order: await call('place_order', { shares: 1000 }),
    failed: await call('fail', {}),
    missing: (await endOf(() => client.readResource({ uri: 'nothing://here' }))).error,
    finished,
  };
  await client.close();
  return seen;
}

let shop: RunningShop;
let calls: RecordedCalls;
let undo: () => void;
beforeEach(() => {
  shop = new RunningShop();
  calls = new RecordedCalls();
  calls.attach();
});
afterEach(async () => {
  undo();
  await shop.stop();
});

describe.each(transports)('a transport of %s under the client of the AI SDK', (_, { prototype }, make) => {
  const before = Object.getOwnPropertyDescriptors(prototype);
  beforeEach(() => {
    undo = patchTransport(prototype, { admit, capture: 'full', sdk: undefined });
  });
  afterEach(() => {
    undo();
    expect(Object.getOwnPropertyDescriptors(prototype)).toEqual(before);
  });

  it('is recorded call by call, and replayed with equal results and order while nothing is started', async () => {
    const recorded = await shopping(make(shop.command));
    expect(recorded).toMatchObject({
      finished: [
        ['slow', { delayMs: 1 }],
        ['slow', { delayMs: 80 }],
        ['place_order', { shares: 1000 }],
        ['fail', {}],
      ],
      failed: { isError: true },
      missing: { message: expect.stringContaining('nothing://here') },
    });
    const crossings = calls.crossings();
    // Over its own transport the client asks first whether the server is of a later protocol.
    const named = crossings.filter(({ name }) => name !== 'stdio/server/discover');
    expect(named.map(({ name, effect }) => [name, effect])).toEqual([
      ['stdio/start', 'read'],
      ['stdio/initialize', 'read'],
      ['shop/notifications/initialized', 'write'],
      ['shop/tools/list', 'read'],
      ['shop/slow', 'read'],
      ['shop/slow', 'read'],
      ['shop/place_order', 'destructive'],
      ['shop/fail', 'write'],
      ['shop/resources/read', 'read'],
    ]);
    const player = new CallPlayer(crossings);
    const replayed = await player.during(() => shopping(make({ command: '/nothing/is/here', args: [] })));
    expect(replayed).toEqual(recorded);
    expect([player.refusals, shop.effects]).toEqual([[], 'order 1000\n']);
  });

  it('ends a call as the server that went while it was under way, and one that cannot be started as it did', async () => {
    const asking = async (command: Command): Promise<unknown> => {
      const client = await createMCPClient({ transport: make(command) });
      const { add } = await client.tools();
      const { error } = await endOf(() => add?.execute?.({} as never, { messages: [], toolCallId: 'c1' } as never));
      return String(error);
    };
    const commands = [
      { command: process.execPath, args: ['-e', dyingServer] },
      { command: '/nothing/is/here', args: [] },
    ];
    const ends = async (): Promise<unknown[]> => [
      await asking(commands[0] as Command),
      String((await endOf(() => asking(commands[1] as Command))).error),
    ];
    const recorded = await ends();
    expect(recorded).toEqual([expect.stringContaining('losed'), expect.stringContaining('ENOENT')]);
    const player = new CallPlayer(calls.crossings());
    expect(await player.during(ends)).toEqual(recorded);
    expect(player.refusals).toEqual([]);
  });
});

describe.each(transports)('a connection of %s that a replay has not made', (_, { prototype }, make) => {
  it('refuses by name what is asked later over a connection that was not made, and leaves nobody waiting', async () => {
    undo = patchTransport(prototype, { admit, capture: 'full', sdk: undefined });
    const connected = (command: Command) => createMCPClient({ transport: make(command) });
    await (await connected(shop.command)).close();
    const player = new CallPlayer(calls.crossings());
    const client = await player.during(() => connected({ command: '/nothing/is/here', args: [] }));
    gate.detach(calls);
    const { error } = await endOf(() => client.listTools());
    expect(String(error)).toContain('tools/list was asked to run live');
    await client.close();
  });
});

it('leaves a transport to the client of the SDK that it was given', async () => {
  const undos = [
    patchClient(Client.prototype, { admit, capture: 'full', sdk: undefined }),
    patchTransport(StdioClientTransport.prototype, { admit, capture: 'full', sdk: undefined }),
  ];
  undo = () => {
    for (const one of undos) one();
  };
  const act = (): Promise<unknown> =>
    buy(new Client({ name: 'buyer', version: '1.0.0' }), new StdioClientTransport(shop.command), McpError);
  const recorded = await act();
  expect(calls.crossings().map(({ name }) => name)).not.toContain('stdio/start');
  const player = new CallPlayer(calls.crossings());
  expect(await player.during(act)).toEqual(recorded);
  expect(player.refusals).toEqual([]);
});

it('takes no transport for one that is none', () => {
  undo = () => undefined;
  const refusal = expect.objectContaining({ code: 'bad-argument', where: 'instrumentMcpTransport(transport)' });
  expect(() => instrumentMcpTransport({ start: async () => undefined })).toThrow(refusal);
});
