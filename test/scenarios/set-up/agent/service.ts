// A service as most are: it opens its database, reads settings and flags, polls a flag, and then answers requests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { sqliteClient, tool } from 'reenact';

const Database = sqliteClient(DatabaseSync);
const database = new Database(process.env.DATABASE ?? '');
const startedAt = new Date().toISOString();
database.prepare('INSERT INTO starts (at) VALUES (?)').run(startedAt);
const settings = database.prepare('SELECT name, value FROM settings WHERE tenant = ?');
const { value: limit } = settings.get(process.env.TENANT ?? 'acme') as { value: string };

async function readFlag(): Promise<string> {
  const response = await fetch(`${process.env.FLAGS_URL}/flags/greeting`);
  return response.text();
}

let greeting = await readFlag();
if (process.env.WARM_UP !== undefined) await fetch(`${process.env.FLAGS_URL}/warm-up`);
const extra = tool('extra', async () => 'nobody recorded this', { effect: 'read' });
if (process.env.EXTRA !== undefined) await extra().catch(() => undefined);
setInterval(async () => {
  greeting = await readFlag();
}, 150);

const quote = tool('quote', async (symbol: string) => `${symbol} at ${process.env.PRICE ?? '190'}`, { effect: 'read' });

const server = createServer(async (request, response) => {
  const symbol = await text(request);
  response.end(JSON.stringify({ answer: `${greeting}: ${await quote(symbol)}, at most ${limit}`, startedAt }));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => {
  if (process.env.CLOSES !== undefined) database.close();
  process.exit(0);
});
