// A service whose callers watch it by a stream, as long as they like: how many there are gets into what others call.
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool } from 'reenact';

const look = tool('look', async (watchers: number) => `${watchers}: ${randomUUID()}`);
const watchers = new Set<ServerResponse>();

const server = createServer(async ({ url }, response) => {
  const seen = await look(watchers.size);
  if (url !== '/watch') return void response.end(seen);
  response.on('close', () => watchers.delete(response));
  watchers.add(response);
  response.write(seen);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
