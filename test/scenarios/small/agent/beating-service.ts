// A service that beats every few milliseconds: one that asks for its settings at its start, or again and again with EVERY_MS. Each request tells whether it beat as often as its time says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from 'reenact';

const beatMs = 10;
const runMs = 60;
const settings = tool('settings', async () => Math.random(), { effect: 'read' });
const answer = tool('answer', async (question: string) => `${question}: ${Math.random()}`);

let current = await settings();
if (process.env.EVERY_MS !== undefined)
  setInterval(async () => {
    current = await settings();
  }, Number(process.env.EVERY_MS)).unref();

let beats = 0;
setInterval(() => {
  beats += 1;
}, beatMs).unref();

const server = createServer(async ({ url = '' }, response) => {
  const before = beats;
  const first = await answer(`${url} at ${current}`);
  await sleep(runMs);
  // A busy machine beats less often, and none beats more often.
  response.end(`${first}, ${await answer(`caught up: ${beats - before > (runMs / beatMs) * 2}`)}`);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
