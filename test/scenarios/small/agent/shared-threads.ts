// A service whose requests share two threads. Each asks them several things at once beside its tools, and answers with the order in which they came. The threads are asked
// by messages with an id, in turn and without a queue, as Comlink and threads.js do, and most code of one's own.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { tool } from 'reenact';

const look = tool('look', async (afterMs: number) => pause(afterMs, `looked for ${afterMs}`), { effect: 'read' });
const note = tool('note', async (order: readonly string[]) => order.length);

const pending = new Map<number, (answer: string) => void>();
const threads = [0, 1].map(() => new Worker(new URL('./echo-with-id.ts', import.meta.url)));
for (const thread of threads) {
  thread.on('message', ({ id, answer }: { id: number; answer: string }) => pending.get(id)?.(answer));
}
let lastId = 0;

function inThread(question: number): Promise<string> {
  lastId += 1;
  const id = lastId;
  threads[id % threads.length]?.postMessage({ id, question });
  return new Promise((resolve) => pending.set(id, resolve));
}

const server = createServer(async (_request, response) => {
  const order: string[] = [];
  const heard = (said: unknown): void => void order.push(`${said} ${randomUUID()}`);
  await look(1);
  await Promise.all([
    ...[90, 30, 60].map((question) => inThread(question).then(heard)),
    ...[40, 200, 1_500].map((afterMs) => look(afterMs).then(heard)),
  ]);
  response.end(JSON.stringify([order, await note(order)]));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => {
  server.close();
  for (const thread of threads) thread.unref();
});
