import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { tool } from '@reenact/instrumentation';
import { errorFacts, thrownBy } from '../error-facts.ts';
import type { FidelityAct, FidelityLibrary, Peer } from '../fidelity-library.ts';

/** Connects a new client to the peer. */
export type ConnectClient = (peer: Peer) => Promise<Client>;

type Called = Awaited<ReturnType<Client['callTool']>>;

function add(client: Client, left: number, right: number): Promise<Called> {
  return client.callTool({ name: 'add', arguments: { left, right } });
}

function sumOf({ structuredContent }: Called): number {
  return (structuredContent as { sum: number }).sum;
}

/** How long a call that nobody answers is waited for, in milliseconds. */
const PATIENCE_MS = 50;

const noStream = { why: 'An answer comes whole, as one message: there is no stream to take apart.' } as const;

/** Clients over one transport. */
export interface McpClients {
  /** What a connection of them is called. */
  readonly name: string;
  readonly connect: ConnectClient;
  /** What a client sees that is turned away. */
  readonly limited: unknown;
  /** What a client sees whose server goes away in the middle of an answer. */
  readonly broken: unknown;
}

/** Runs an act with a client of its own. */
function withClient({ connect }: McpClients, act: (client: Client) => Promise<unknown>): FidelityAct['run'] {
  return async (peer) => {
    const client = await connect(peer);
    const seen = await act(client);
    await client.close();
    return seen;
  };
}

function connectedBy({ name }: McpClients): string {
  return `mcp:${name}/initialize returned 0`;
}

function call(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => ({
      sum: await add(client, 1, 2),
      failed: await client.callTool({ name: 'fail' }),
      unknown: await thrownBy(() => client.readResource({ uri: 'nothing://here' })),
    })),
    shows: {
      sum: { structuredContent: { sum: 3 }, content: [{ text: '3' }] },
      failed: { isError: true },
      unknown: { name: 'McpError', fields: { code: -32_602, data: { uri: 'nothing://here' } } },
    },
    crossings: [
      connectedBy(clients),
      'mcp:shop/add returned 0',
      'mcp:shop/fail returned 0',
      'mcp:shop/resources/read threw 0',
    ],
  };
}

function saidMeanwhile(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const said: unknown[] = [];
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        said.push(params.message);
        return { action: 'accept', content: { shares: 7 } };
      });
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        said.push(params.data);
      });
      const onprogress = ({ progress }: { progress: number }): unknown => said.push(progress);
      const { content } = await client.callTool({ name: 'consult' }, undefined, { onprogress });
      return { said, content };
    }),
    shows: { said: [1, 'asking', 'How many?'], content: [{ text: '{"action":"accept","content":{"shares":7}}' }] },
    crossings: [
      connectedBy(clients),
      'mcp:shop/consult returned 0',
      'mcp:shop/notifications/progress returned 0',
      'mcp:shop/notifications/message returned 0',
      'mcp:shop/elicitation/create returned 0',
    ],
  };
}

function abort(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const controller = new AbortController();
      const hanging = thrownBy(() => client.callTool({ name: 'hang' }, undefined, { signal: controller.signal }));
      setTimeout(() => controller.abort('enough'), PATIENCE_MS);
      return { left: await hanging, told: await client.callTool({ name: 'called off' }) };
    }),
    shows: { left: { name: 'McpError', message: /enough/ }, told: { content: [{ text: 'called off' }] } },
    crossings: [connectedBy(clients), 'mcp:shop/hang threw 0', 'mcp:shop/called off returned 0'],
  };
}

function midStreamError(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const log: unknown[] = [];
      client.onclose = () => log.push('closed');
      log.push(sumOf(await add(client, 1, 1)));
      log.push(await thrownBy(() => client.callTool({ name: 'break' })));
      log.push(['connected', client.transport !== undefined]);
      return log;
    }),
    shows: clients.broken,
    crossings: [connectedBy(clients), 'mcp:shop/add returned 0', 'mcp:shop/break threw 0'],
  };
}

function retry(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      // The SDK does not try again by itself.
      const refused = await client.callTool({ name: 'limited' }).catch(errorFacts);
      return { refused, answered: await client.callTool({ name: 'limited' }) };
    }),
    shows: { refused: clients.limited, answered: { content: [{ text: 'sold' }] } },
    crossings: [connectedBy(clients), 'mcp:shop/limited threw 0', 'mcp:shop/limited returned 0'],
  };
}

function timeout(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const late = await thrownBy(() => client.callTool({ name: 'hang' }, undefined, { timeout: PATIENCE_MS }));
      return { late, told: await client.callTool({ name: 'called off' }) };
    }),
    shows: { late: { fields: { code: -32_001, data: { timeout: PATIENCE_MS } } } },
    crossings: [connectedBy(clients), 'mcp:shop/hang threw 0', 'mcp:shop/called off returned 0'],
  };
}

function reverseParallel(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const finished: number[] = [];
      const one = async (order: number): Promise<unknown> => {
        const answer = await client.callTool({ name: 'held', arguments: { order } });
        finished.push(order);
        return answer;
      };
      return { answers: await Promise.all([one(1), one(2), one(3)]), finished };
    }),
    shows: { answers: [{ content: [{ text: 'held {"order":1}' }] }, {}, {}], finished: [3, 2, 1] },
    crossings: [
      connectedBy(clients),
      'mcp:shop/held returned 0',
      'mcp:shop/held returned 0',
      'mcp:shop/held returned 0',
    ],
  };
}

function nestedTools(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, (client) => {
      const inner = tool('inner', async (left: number) => sumOf(await add(client, left, 1)));
      const outer = tool('outer', async (left: number) => (await inner(left)) + sumOf(await add(client, left, 2)));
      return outer(3);
    }),
    shows: 9,
    crossings: [
      connectedBy(clients),
      'tool:outer returned 0',
      'tool:inner returned 0',
      'mcp:shop/add returned 0',
      'mcp:shop/add returned 0',
    ],
  };
}

function helpers(clients: McpClients): FidelityAct {
  return {
    run: withClient(clients, async (client) => {
      const { tools } = await client.listTools();
      const wrong = await thrownBy(() => client.callTool({ name: 'add', arguments: { left: 1, right: 'x' } }));
      const prompt = await client.getPrompt({ name: 'greet' });
      const ref = { type: 'ref/prompt', name: 'greet' } as const;
      const completed = await client.complete({ ref, argument: { name: 'who', value: 'AC' } });
      const about = [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()];
      const missing = await thrownBy(() => client.ping());
      return { names: tools.map(({ name: toolName }) => toolName), wrong, prompt, completed, about, missing };
    }),
    shows: {
      names: ['add', 'place_order'],
      // The client checks the result against the schema that the server gave.
      wrong: { message: /output schema/ },
      completed: { completion: { values: ['ACME', 'ACID'] } },
      about: [{ name: 'shop', version: '1.2.3' }, { tools: {} }, 'Sell shares.'],
      missing: { fields: { code: -32_601 } },
    },
    crossings: [
      connectedBy(clients),
      'mcp:shop/tools/list returned 0',
      'mcp:shop/add returned 0',
      'mcp:shop/prompts/get returned 0',
      'mcp:shop/completion/complete returned 0',
      'mcp:shop/ping threw 0',
    ],
  };
}

/** The cases of clients over one transport. */
export function mcpCases(clients: McpClients): FidelityLibrary['cases'] {
  return {
    call: call(clients),
    stream: saidMeanwhile(clients),
    abort: abort(clients),
    'mid-stream error': midStreamError(clients),
    '429 then success': retry(clients),
    timeout: timeout(clients),
    'reverse parallel': reverseParallel(clients),
    'nested tools': nestedTools(clients),
    'double iteration': noStream,
    tee: noStream,
    helpers: helpers(clients),
  };
}
