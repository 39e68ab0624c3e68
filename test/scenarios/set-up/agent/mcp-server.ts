// An MCP server on standard input and output that notes each start and each sale.
import { appendFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const effects = process.argv[2] ?? '';
appendFileSync(effects, 'started\n');
const server = new McpServer({ name: 'shop', version: '1.0.0' });
server.registerTool('sell', { inputSchema: { symbol: z.string() } }, ({ symbol }) => {
  appendFileSync(effects, `sold ${symbol}\n`);
  return { content: [{ type: 'text', text: `sold ${symbol}` }] };
});
await server.connect(new StdioServerTransport());
