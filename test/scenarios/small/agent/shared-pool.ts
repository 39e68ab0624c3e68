// A service whose requests share a pool of one thread. Each asks it several things at once beside its tools, and answers with the order in which they came. The pool hands
// on what waits from where it is told that the thread is free, and calls back in the resource of the task, as piscina, tinypool and poolifier do.
import { AsyncResource } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { tool } from 'reenact';

const look = tool('look', async (afterMs: number) => pause(afterMs, `looked for ${afterMs}`), { effect: 'read' });
const note = tool('note', async (order: readonly string[]) => order.length);

class Task extends AsyncResource {
  readonly question: number;
  private readonly resolve: (answer: string) => void;

  constructor(question: number, resolve: (answer: string) => void) {
    super('Task');
    this.question = question;
    this.resolve = resolve;
  }

  done(answer: string): void {
    this.runInAsyncScope(this.resolve, undefined, answer);
  }
}

const thread = new Worker(new URL('./late-speaker.ts', import.meta.url));
const { port1: near, port2: far } = new MessageChannel();
thread.postMessage(far, [far]);
thread.unref();
const waiting: Task[] = [];
const ask = (): void => near.postMessage(waiting[0]?.question);
near.on('message', (answer: string) => {
  const task = waiting.shift();
  if (waiting.length > 0) ask();
  else near.unref();
  task?.done(answer);
});
near.unref();

function inPool(question: number): Promise<string> {
  return new Promise((resolve) => {
    near.ref();
    if (waiting.push(new Task(question, resolve)) === 1) ask();
  });
}

const server = createServer(async (_request, response) => {
  const order: string[] = [];
  const heard = (said: unknown): void => void order.push(`${said} ${randomUUID()}`);
  await look(1);
  await Promise.all([
    ...[90, 30, 60].map((question) => inPool(question).then(heard)),
    ...[40, 200, 1_500].map((afterMs) => look(afterMs).then(heard)),
  ]);
  response.end(JSON.stringify([order, await note(order)]));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
process.once('SIGTERM', () => server.close());
