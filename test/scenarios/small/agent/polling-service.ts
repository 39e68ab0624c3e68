// A service that reads its settings again and again, and a price list that names the settings' version; each request works with what was read last.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'reenact';

const everyMs = Number(process.env.EVERY_MS ?? 400);
const settings = tool('settings', async () => ({ version: Math.random() }), { effect: 'read' });
const prices = tool('prices', async (version: number) => `${version} costs ${Math.random()}`, { effect: 'read' });
const answer = tool('answer', async (question: string) => `${question}: ${Math.random()}`);

let current = await settings();
let list = 'none';
setInterval(async () => {
  current = await settings();
  await sleep(everyMs / 3, undefined, { ref: false });
  list = await prices(current.version);
}, everyMs).unref();

// What nothing is called in may be done any number of times.
let sweeps = 0;
setInterval(() => {
  sweeps += 1;
}, everyMs / 4).unref();

const server = createServer(async ({ url = '' }, response) => {
  const first = await answer(`${url} at ${current.version} by ${list}`);
  await sleep(200);
  response.end(`${first}, ${sweeps > 0}`);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
