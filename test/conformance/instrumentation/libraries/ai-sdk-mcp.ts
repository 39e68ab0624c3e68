import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import * as stdio from '@ai-sdk/mcp/mcp-stdio';
import { tool } from '@reenact/instrumentation';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import { thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary } from '../fidelity-library.ts';
import { startStdioMcpPeer } from '../peers/mcp-peer.ts';

type Command = ConstructorParameters<typeof stdio.Experimental_StdioMCPTransport>[0];
type Called = Awaited<ReturnType<MCPClient['callTool']>>;

const noStream = { why: 'An answer comes whole, as one message: there is no stream to take apart.' } as const;

/** How long a call that nobody answers is waited for, in milliseconds. */
const PATIENCE_MS = 50;

/** The client asks first whether the server is of a later protocol. */
const connected = [
  'mcp:stdio/start returned 0',
  'mcp:stdio/server/discover returned 0',
  'mcp:stdio/initialize returned 0',
  'mcp:shop/notifications/initialized returned 0',
];

/** Runs an act with a client of its own; `heard` is what it says of answers that it cannot use. */
function withClient(act: (client: MCPClient, heard: readonly unknown[]) => Promise<unknown>): FidelityAct['run'] {
  return async ({ address }) => {
    const transport = new stdio.Experimental_StdioMCPTransport(JSON.parse(address) as Command);
    const heard: unknown[] = [];
    const client = await createMCPClient({ transport, onUncaughtError: (error) => heard.push(String(error)) });
    const seen = await act(client, heard);
    await client.close();
    return seen;
  };
}

function add(client: MCPClient, left: number, right: number): Promise<Called> {
  return client.callTool({ name: 'add', arguments: { left, right } });
}

function sumOf(called: Called): number {
  return (called.structuredContent as { sum: number }).sum;
}

const call: FidelityAct = {
  run: withClient(async (client) => ({
    sum: await add(client, 1, 2),
    failed: await client.callTool({ name: 'fail', arguments: {} }),
    unknown: await thrownBy(() => client.readResource({ uri: 'nothing://here' })),
  })),
  shows: {
    sum: { structuredContent: { sum: 3 }, content: [{ text: '3' }] },
    failed: { isError: true },
    unknown: { fields: { code: -32_602 } },
  },
  crossings: [
    ...connected,
    'mcp:shop/add returned 0',
    'mcp:shop/fail returned 0',
    'mcp:shop/resources/read returned 0',
  ],
};

const abort: FidelityAct = {
  run: withClient(async (client) => {
    const controller = new AbortController();
    const hanging = thrownBy(() => client.callTool({ name: 'hang', options: { signal: controller.signal } }));
    setTimeout(() => controller.abort(), PATIENCE_MS);
    return { left: await hanging, sum: sumOf(await add(client, 1, 1)) };
  }),
  shows: { left: { message: /abort/i }, sum: 2 },
  crossings: [...connected, 'mcp:shop/hang returned 0', 'mcp:shop/add returned 0'],
};

const midStreamError: FidelityAct = {
  run: withClient(async (client) => [
    sumOf(await add(client, 1, 1)),
    await thrownBy(() => client.callTool({ name: 'break', arguments: {} })),
    await thrownBy(() => add(client, 1, 1)),
  ]),
  shows: [2, { message: /closed/i }, { message: /closed/i }],
  crossings: [...connected, 'mcp:shop/add returned 0', 'mcp:shop/break returned 0'],
};

const retry: FidelityAct = {
  run: withClient(async (client) => ({
    refused: await thrownBy(() => client.callTool({ name: 'limited', arguments: {} })),
    answered: await client.callTool({ name: 'limited', arguments: {} }),
  })),
  shows: { refused: { fields: { code: -32_029 } }, answered: { content: [{ text: 'sold' }] } },
  crossings: [...connected, 'mcp:shop/limited returned 0', 'mcp:shop/limited returned 0'],
};

/** The server answers all the same, and too late: once it holds three calls, the last one first. */
const timeout: FidelityAct = {
  run: withClient(async (client, heard) => {
    const held = (order: number, options = {}): Promise<Called> =>
      client.callTool({ name: 'held', arguments: { order }, options });
    const late = await thrownBy(() => held(1, { timeout: PATIENCE_MS }));
    const others = await Promise.all([held(2), held(3)]);
    const sum = sumOf(await add(client, 1, 1));
    return { late, others, sum, heard: heard.filter((said) => String(said).includes('held {')) };
  }),
  shows: { late: { message: /time/i }, others: [{}, {}], sum: 2, heard: [/unknown message ID/] },
  crossings: [
    ...connected,
    'mcp:shop/held returned 0',
    'mcp:shop/held returned 0',
    'mcp:shop/held returned 0',
    'mcp:shop/add returned 0',
  ],
};

const reverseParallel: FidelityAct = {
  run: withClient(async (client) => {
    const finished: number[] = [];
    const one = async (order: number): Promise<unknown> => {
      const answer = await client.callTool({ name: 'held', arguments: { order } });
      finished.push(order);
      return answer;
    };
    return { answers: await Promise.all([one(1), one(2), one(3)]), finished };
  }),
  shows: { answers: [{ content: [{ text: 'held {"order":1}' }] }, {}, {}], finished: [3, 2, 1] },
  crossings: [...connected, 'mcp:shop/held returned 0', 'mcp:shop/held returned 0', 'mcp:shop/held returned 0'],
};

const nestedTools: FidelityAct = {
  run: withClient((client) => {
    const inner = tool('inner', async (left: number) => sumOf(await add(client, left, 1)));
    const outer = tool('outer', async (left: number) => (await inner(left)) + sumOf(await add(client, left, 2)));
    return outer(3);
  }),
  shows: 9,
  crossings: [
    ...connected,
    'tool:outer returned 0',
    'tool:inner returned 0',
    'mcp:shop/add returned 0',
    'mcp:shop/add returned 0',
  ],
};

const helpers: FidelityAct = {
  run: withClient(async (client) => {
    const tools = await client.tools();
    const given = { messages: [], toolCallId: 'call-1', context: {} };
    const executed: unknown = await tools.add?.execute?.({ left: 2, right: 3 }, given as never);
    const prompt = await client.getPrompt({ name: 'greet' });
    const about = [client.serverInfo, client.instructions];
    return { names: Object.keys(tools), executed, prompt, about };
  }),
  shows: {
    names: ['add', 'place_order'],
    about: [{ name: 'shop', version: '1.2.3' }, 'Sell shares.'],
  },
  crossings: [
    ...connected,
    'mcp:shop/tools/list returned 0',
    'mcp:shop/add returned 0',
    'mcp:shop/prompts/get returned 0',
  ],
};

/** Clients of the AI SDK over a process of their own. */
export const aiSdkMcpFidelity: FidelityLibrary = {
  name: '`@ai-sdk/mcp`, stdio',
  start: startStdioMcpPeer,
  patch: () => {
    const instrumentation = new McpInstrumentation();
    instrumentation.patchModule(stdio);
    return () => instrumentation.disable();
  },
  patched: () =>
    ['start', 'send', 'close'].map((key) => [stdio.Experimental_StdioMCPTransport.prototype, key] as const),
  applications: {
    modules: 'ai-sdk-mcp',
    instrumentation: ['@reenact/instrumentation-mcp', 'McpInstrumentation'],
    bundled: 'ai-sdk-mcp-bundled',
  },
  cases: {
    call,
    stream: {
      why: 'What the server says or asks before it answers reaches the client, and does not come again in a replay: the request is marked lossy.',
    },
    abort,
    'mid-stream error': midStreamError,
    '429 then success': retry,
    timeout,
    'reverse parallel': reverseParallel,
    'nested tools': nestedTools,
    'double iteration': noStream,
    tee: noStream,
    helpers,
  },
};
