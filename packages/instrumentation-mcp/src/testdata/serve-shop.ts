import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { shopServer } from './shop-server.ts';

// Run as a process of its own: `serve-shop.ts stdio <effects file>`, or `http`, which prints its port.
const [, , kind, effectsPath = ''] = process.argv;

async function serveHttp(): Promise<void> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const server = createServer(async (request, response) => {
    const known = transports.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => void transports.set(sessionId, transport),
    });
    await shopServer(effectsPath).connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
}

if (kind === 'http') await serveHttp();
else await shopServer(effectsPath).connect(new StdioServerTransport());
