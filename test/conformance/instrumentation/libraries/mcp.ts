import * as mcp from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport, type StdioServerParameters } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpInstrumentation } from '@reenact/instrumentation-mcp';
import type { FidelityLibrary } from '../fidelity-library.ts';
import { startHttpMcpPeer, startStdioMcpPeer } from '../peers/mcp-peer.ts';
import { type ConnectClient, mcpCases } from './mcp-acts.ts';

function connecting(transportTo: (address: string) => Transport): ConnectClient {
  return async ({ address }) => {
    const client = new mcp.Client({ name: 'fidelity', version: '1.0.0' }, { capabilities: { elicitation: {} } });
    await client.connect(transportTo(address));
    return client;
  };
}

const overStdio = connecting((address) => new StdioClientTransport(JSON.parse(address) as StdioServerParameters));
const overHttp = connecting((address) => new StreamableHTTPClientTransport(new URL(address)) as Transport);

const instrumented = {
  patch: () => {
    const instrumentation = new McpInstrumentation();
    instrumentation.patchModule(mcp);
    return () => instrumentation.disable();
  },
  patched: () =>
    ['request', 'notification', 'connect', '_onrequest', '_onnotification'].map(
      (key) => [mcp.Client.prototype, key] as const,
    ),
} as const;

const loaded = { instrumentation: ['@reenact/instrumentation-mcp', 'McpInstrumentation'] } as const;

/** Clients of `@modelcontextprotocol/sdk` over a process of their own. */
export const mcpStdioFidelity: FidelityLibrary = {
  name: '`@modelcontextprotocol/sdk`, stdio',
  start: startStdioMcpPeer,
  ...instrumented,
  applications: { modules: 'mcp-stdio', ...loaded, bundled: 'mcp-stdio-bundled' },
  cases: mcpCases({
    name: 'stdio',
    connect: overStdio,
    limited: { name: 'McpError', fields: { code: -32_029, data: { retryAfter: 0 } } },
    broken: [2, 'closed', { name: 'McpError', fields: { code: -32_000 } }, ['connected', false]],
  }),
};

/** Clients of `@modelcontextprotocol/sdk` over streamable HTTP. */
export const mcpHttpFidelity: FidelityLibrary = {
  name: '`@modelcontextprotocol/sdk`, streamable HTTP',
  start: startHttpMcpPeer,
  ...instrumented,
  applications: { modules: 'mcp-http', ...loaded, bundled: 'mcp-http-bundled' },
  cases: mcpCases({
    name: 'streamable-http',
    connect: overHttp,
    limited: { message: /slow down/, fields: { code: 429 } },
    broken: [2, { name: 'TypeError', message: 'terminated' }, ['connected', true], 'closed'],
  }),
};
