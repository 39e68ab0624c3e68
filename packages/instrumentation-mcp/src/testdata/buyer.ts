import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { McpError } from '@modelcontextprotocol/sdk/types.js';
import { endOf } from '@reenact/instrumentation/testing';
import { errorFacts } from './error-facts.ts';

/** A client that does everything a replay has to give back. Calls finish in another order than they began. */
export async function buy(client: Client, transport: Transport, errorClass: typeof McpError): Promise<unknown> {
  await client.connect(transport);
  const finished: string[] = [];
  const slow = async (delayMs: number): Promise<unknown> => {
    const result = await client.callTool({ name: 'slow', arguments: { delayMs } });
    finished.push(`slow ${delayMs}`);
    return result;
  };
  const failure = async (act: () => unknown): Promise<unknown> => errorFacts((await endOf(act)).error, errorClass);
  const { tools } = await client.listTools();
  const seen = {
    server: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    tools: tools.map(({ name, annotations }) => [name, annotations]),
    sum: await client.callTool({ name: 'add', arguments: { left: 1, right: 2 } }),
    parallel: await Promise.all([slow(80), slow(1)]),
    finished,
    order: await client.callTool({ name: 'place_order', arguments: { shares: 1000 } }),
    failed: await client.callTool({ name: 'fail', arguments: {} }),
    prompt: await client.getPrompt({ name: 'greet', arguments: { who: 'ACME' } }),
    policy: await client.readResource({ uri: 'policy://limits' }),
    unknown: await failure(() => client.readResource({ uri: 'nothing://here' })),
    late: await failure(() => client.callTool({ name: 'slow', arguments: { delayMs: 300 } }, undefined, { timeout: 5 })),
    isSameTransport: client.transport === transport,
  };
  await client.close();
  return { ...seen, afterClose: await failure(() => client.ping()) };
}
