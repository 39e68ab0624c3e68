// A service that a signal has close while it answers: who asked is answered still.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tool } from 'reenact';

const { ASKED_URL = '' } = process.env;
const closing = new AbortController();
const look = tool('look', async () => (await fetch(`${ASKED_URL}/slow`)).json(), { effect: 'read' });

const server = createServer(async (_request, response) => {
  const slow = look();
  if (!closing.signal.aborted) await once(closing.signal, 'abort');
  response.end(JSON.stringify({ closing: closing.signal.aborted, slow: await slow }));
});
process.on('SIGTERM', () => {
  closing.abort();
  server.close();
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
