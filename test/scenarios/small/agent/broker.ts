// A server of the Model Context Protocol: over stdio, or with the argument `http` over HTTP, where it prints its address.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { z } from 'zod';

function broker(): McpServer {
  const server = new McpServer({ name: 'broker', version: '1.0.0' });
  const inputSchema = { shares: z.number() };
  const description = { annotations: { readOnlyHint: true }, inputSchema, outputSchema: { price: z.number() } };
  server.registerTool('quote', description, ({ shares }) => ({
    content: [],
    structuredContent: { price: shares * 7 },
  }));
  server.registerTool('never', { annotations: { readOnlyHint: true } }, () => new Promise(() => {}));
  return server;
}

async function listen(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const http = createServer(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    const transport =
      known ??
      new StreamableHTTPServerTransport({
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (sessionId) => void transports.set(sessionId, transport),
      });
    if (known === undefined) await broker().connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`));
}

if (process.argv[2] === 'http') await listen();
else await broker().connect(new StdioServerTransport());
