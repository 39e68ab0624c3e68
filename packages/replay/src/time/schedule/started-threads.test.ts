import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { mayHearFromThread, noteStartedThread, threadsHaveWorked } from './started-threads.ts';

let thread: Worker;

/** Computes until it is told to stop, then waits for the next message. */
const program = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (shared) => {
    parentPort.postMessage('computing');
    while (Atomics.load(shared, 0) === 0);
    parentPort.postMessage('done');
  });
`;

afterEach(() => thread.terminate());

describe('a worker thread', () => {
  it('works while it starts and computes, and is idle where it waits for a message', async () => {
    expect([mayHearFromThread(['MessagePort']), threadsHaveWorked()]).toEqual([false, false]);
    thread = new Worker(program, { eval: true });
    noteStartedThread(thread);
    expect([mayHearFromThread(['MessagePort']), mayHearFromThread(['Timeout']), threadsHaveWorked()]).toEqual([
      true,
      false,
      true,
    ]);
    const shared = new Int32Array(new SharedArrayBuffer(4));
    thread.postMessage(shared);
    await once(thread, 'message');
    expect([threadsHaveWorked(), threadsHaveWorked()]).toEqual([true, true]);
    Atomics.store(shared, 0, 1);
    await once(thread, 'message');
    await expect.poll(() => threadsHaveWorked(), { interval: 50, timeout: 20_000 }).toBe(false);
    await thread.terminate();
    expect([threadsHaveWorked(), mayHearFromThread(['MessagePort'])]).toEqual([false, false]);
  });
});
