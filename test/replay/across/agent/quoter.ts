// One service with a tool that leaves a trace: each wish is answered by what the tool made of it.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { tool } from 'reenact';

let made = 0;
const quote = tool('quote', async (wish: string): Promise<string> => {
  made += 1;
  appendFileSync(process.env.QUOTER_BOOK ?? '', `${wish}\n`);
  await pause(made % 7);
  return `${wish} costs ${made}`;
});

const server = createServer((request, response) => {
  text(request)
    .then(async (wish) => [await quote(wish), await quote(`${wish} again`)])
    .then((quotes) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(quotes)))
    .catch((error: unknown) => response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error)));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
