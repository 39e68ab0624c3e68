// An agent that connects to its tools and lists them before the run, as the frameworks do.
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { agent } from 'reenact';

const client = new Client({ name: 'seller', version: '1.0.0' });
const server = fileURLToPath(new URL('mcp-server.ts', import.meta.url));
await client.connect(
  new StdioClientTransport({ command: process.execPath, args: [server, process.env.EFFECTS_FILE ?? ''] }),
);
const { tools } = await client.listTools();

const sell = agent('seller', async (symbol: string) => {
  const name = tools[0]?.name ?? '';
  const { content } = await client.callTool({ name, arguments: { symbol } });
  return content;
});
console.log(JSON.stringify(await sell('ACME')));
await client.close();
