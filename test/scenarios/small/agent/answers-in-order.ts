// What a worker thread, a port and a child process say comes beside what tools give, and the agent makes its answer of the order: of who came first, and of what each
// draws when it has come. `before`: the thread is there before the run, as that of a pool, which hands on what waits from where it is told that the thread is free.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { agent, tool } from 'reenact';

const isBefore = process.argv[2] === 'before';
const speaker = new URL('./late-speaker.ts', import.meta.url);
const look = tool('look', async (afterMs: number) => pause(afterMs, `looked for ${afterMs}`), { effect: 'read' });
const note = tool('note', async (order: readonly string[]) => order.length);

/** A thread that is given one question at a time; the others wait until it has answered. */
function makePool(): (question: number) => Promise<string> {
  const thread = new Worker(speaker);
  const { port1: near, port2: far } = new MessageChannel();
  thread.postMessage(far, [far]);
  const waiting: { readonly question: number; readonly resolve: (answer: string) => void }[] = [];
  const ask = (): void => near.postMessage(waiting[0]?.question);
  near.on('message', (answer: string) => {
    waiting.shift()?.resolve(answer);
    if (waiting.length > 0) ask();
    else near.unref();
  });
  near.unref();
  return (question) =>
    new Promise((resolve) => {
      near.ref();
      if (waiting.push({ question, resolve }) === 1) ask();
    });
}

let pool = isBefore ? makePool() : undefined;
const run = agent('ordering', async () => {
  pool ??= makePool();
  const order: string[] = [];
  const heard = (said: unknown): void => void order.push(`${said} ${randomUUID()} ${Date.now()}`);
  const alone = new Worker(speaker, { workerData: 250 });
  const child: ChildProcess = fork(speaker, ['350']);
  await Promise.all([
    ...[100, 200, 50].map((question) => pool?.(question).then(heard)),
    ...[30, 120, 260, 500, 900].map((afterMs) => look(afterMs).then(heard)),
    once(alone, 'message').then(heard),
    once(alone, 'exit').then(heard),
    once(child, 'message').then(([said]) => heard(said)),
  ]);
  return note(order);
});
process.stdout.write(`ended with ${await run()}\n`);
process.exit(0);
