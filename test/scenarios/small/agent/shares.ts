// Buys shares: asks a server over the Model Context Protocol, and keeps a ledger in SQLite.
import { DatabaseSync } from 'node:sqlite';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { agent, sqliteClient, tool } from 'reenact';

const Database = sqliteClient(DatabaseSync);
const { LEDGER = ':memory:', BROKER_URL, SHARES = '3' } = process.env;

function transport(): Transport {
  if (BROKER_URL !== undefined) return new StreamableHTTPClientTransport(new URL(BROKER_URL)) as Transport;
  return new StdioClientTransport({ command: process.execPath, args: ['--no-warnings', 'broker.ts'] });
}

const order = tool('order', async ({ shares }: { shares: number }) => {
  const client = new Client({ name: 'shares', version: '1.0.0' });
  const connection = transport();
  await client.connect(connection);
  const { tools } = await client.listTools();
  const quote = await client.callTool({ name: 'quote', arguments: { shares } });
  const controller = new AbortController();
  const never = client.callTool({ name: 'never', arguments: {} }, undefined, { signal: controller.signal });
  setImmediate(() => controller.abort('enough'));
  const aborted: unknown = await never.catch(String);
  if (connection instanceof StreamableHTTPClientTransport) await connection.terminateSession();
  await client.close();
  return {
    tools: tools.map(({ name }) => name),
    server: client.getServerVersion()?.name,
    quote: quote.structuredContent,
    aborted,
  };
});

const run = agent('shares', async (shares: number) => {
  const ordered = await order({ shares });
  const ledger = new Database(LEDGER);
  ledger.exec('CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, shares INTEGER)');
  const { lastInsertRowid } = ledger.prepare('INSERT INTO orders (shares) VALUES (?)').run(shares);
  const rows = ledger.prepare('SELECT id, shares FROM orders').all();
  ledger.close();
  return { ordered, lastInsertRowid, rows };
});

console.log(JSON.stringify(await run(Number(SHARES))));
