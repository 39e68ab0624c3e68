import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { agent } from '../../boundary/boundaries.ts';
import { recordedFacts } from '../../testing/recorded-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';

const recorded = recordedFacts();
const threads: Worker[] = [];
let folder: string;
let uninstall = (): void => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-shared-'));
  uninstall = installConnectionWatch();
});

afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

afterAll(async () => {
  uninstall();
  await rm(folder, { recursive: true });
});

/** A thread that answers by the memory that it shares. It says that it records, and that it draws where it is asked 2. */
async function sharing(name: string, beside: unknown = undefined): Promise<Int32Array> {
  const file = join(folder, `${name}.cjs`);
  await writeFile(
    file,
    `const { getEnvironmentData, workerData } = require('node:worker_threads');
     const counts = getEnvironmentData('reenact.thread-doings.1');
     Atomics.store(counts, 0, 1);
     const { asked } = workerData.memory;
     for (;;) {
       Atomics.wait(asked, 0, 0);
       if (Atomics.exchange(asked, 0, 0) === 2) Atomics.add(counts, 2, 1);
       Atomics.store(asked, 1, 1);
       Atomics.notify(asked, 1);
     }`,
  );
  const asked = new Int32Array(new SharedArrayBuffer(8));
  threads.push(new Worker(file, { workerData: { beside, memory: { asked } } }));
  return asked;
}

function ask(view: Int32Array, what: number): void {
  Atomics.store(view, 1, 0);
  Atomics.store(view, 0, what);
  Atomics.notify(view, 0);
}

async function marksOf(work: () => unknown): Promise<readonly string[]> {
  await agent('asking', async () => void (await work()))();
  return recorded.findLast(({ boundary }) => boundary.name === 'asking')?.lossy ?? [];
}

it('a run that waits for what a thread answers by shared memory lacks that where it drew', async () => {
  const view = await sharing('answering');
  const work = (what: number) => () => {
    ask(view, what);
    Atomics.wait(view, 1, 0);
  };
  expect(await marksOf(work(1))).toEqual([]);
  expect(await marksOf(work(2))).toEqual(['/connections/answers of thread answering.cjs']);
  expect(await marksOf(work(1))).toEqual([]);
});

it('a run that is told later that there is an answer lacks it, too', async () => {
  const view = await sharing('answering-later');
  const work = async () => {
    ask(view, 2);
    await Atomics.waitAsync(view, 1, 0).value;
  };
  expect(await marksOf(work)).toEqual(['/connections/answers of thread answering-later.cjs']);
});

it('a run that sleeps on memory of its own, or whose logger waits until its lines are taken, lacks nothing', async () => {
  const view = await sharing('logging');
  const own = new Int32Array(new SharedArrayBuffer(4));
  const path = join(folder, 'node_modules', 'thread-stream');
  await mkdir(path, { recursive: true });
  await writeFile(join(path, 'package.json'), '{ "name": "thread-stream" }');
  await writeFile(join(path, 'index.js'), 'exports.flush = (view) => Atomics.wait(view, 1, 0);');
  const { flush } = createRequire(join(folder, 'app.cjs'))('thread-stream') as { flush: (view: Int32Array) => void };
  const work = () => {
    ask(view, 2);
    flush(view);
    Atomics.wait(own, 0, 0, 1);
  };
  expect(await marksOf(work)).toEqual([]);
});

it('is found beside what a thread is given in many places, each looked at once', async () => {
  const given = Array.from({ length: 50_000 });
  const before = process.cpuUsage();
  const asked = await sharing(
    'laden',
    Array.from({ length: 50_000 }, () => given),
  );
  const { user } = process.cpuUsage(before);
  expect(user).toBeLessThan(5_000_000);
  const marks = await marksOf(() => {
    ask(asked, 2);
    Atomics.wait(asked, 1, 0);
  });
  expect(marks).toEqual([expect.stringContaining('laden.cjs')]);
});
