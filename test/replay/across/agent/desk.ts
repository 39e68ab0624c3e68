// The tool server: its one tool writes into a book, which cannot be undone.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { tool } from 'reenact';
import { z } from 'zod';

const enter = tool('enter', async (shares: number): Promise<string> => {
  appendFileSync(process.env.DESK_BOOK ?? '', `sold ${shares}\n`);
  return `entered ${shares}`;
});

function desk(): McpServer {
  const server = new McpServer({ name: 'desk', version: '1.0.0' });
  server.registerTool('place_order', { inputSchema: { shares: z.number() } }, async ({ shares }) => ({
    content: [{ type: 'text', text: `${await enter(shares)}${process.env.DESK_REMARK ?? ''}` }],
  }));
  return server;
}

const server = createServer(async (request, response) => {
  // One server for each request: the protocol's way of having no sessions.
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
  await desk().connect(transport as Transport);
  await transport.handleRequest(request, response);
});
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
);
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
