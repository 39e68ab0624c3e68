import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { MessageChannel, type MessagePort, postMessageToThread, Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { agent } from '../../boundary/boundaries.ts';
import { recordedFacts } from '../../testing/recorded-facts.ts';
import { installConnectionWatch } from '../install-connection-watch.ts';
import { processConnections } from '../unseen/process-connections.ts';

const recorded = recordedFacts();
const threads: Worker[] = [];
let folder: string;
let uninstall = (): void => undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reenact-threads-'));
  uninstall = installConnectionWatch();
});

afterEach(async () => {
  await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
});

afterAll(async () => {
  uninstall();
  await rm(folder, { recursive: true });
});

/** A thread that answers what it is sent. It does not load the hook: a run lacks its answers, unless `begin` says that it records. */
async function threadFile(path: string, begin = ''): Promise<string> {
  const file = join(folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(
    file,
    `const { getEnvironmentData, parentPort, workerData } = require('node:worker_threads');
     ${begin}
     parentPort.on('message', () => parentPort.postMessage('answer'));
     parentPort.postMessage('ready');`,
  );
  return file;
}

async function started(file: string, workerData?: string): Promise<Worker> {
  const thread = new Worker(file, { workerData });
  threads.push(thread);
  await once(thread, 'message');
  return thread;
}

async function ask(thread: Worker, question: unknown = 'question', given: readonly MessagePort[] = []): Promise<void> {
  const answered = once(thread, 'message');
  thread.postMessage(question, given);
  await answered;
}

async function marksOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  await agent('asking', async () => void (await work()))();
  return recorded.findLast(({ boundary }) => boundary.name === 'asking')?.lossy ?? [];
}

/** Says that it records, and draws for each question but `compute`. */
const DRAWING = `const counts = getEnvironmentData('reenact.thread-doings.1');
     Atomics.store(counts, 0, 1);
     parentPort.on('message', (question) => question !== 'compute' && Atomics.add(counts, 2, 1));`;

/** A pool of one thread, which is handed the next question once it has answered. */
function poolOf(thread: Worker): (question: string) => Promise<void> {
  const waiting: { question: string; answered: () => void }[] = [];
  thread.on('message', () => {
    waiting.shift()?.answered();
    const [next] = waiting;
    if (next !== undefined) thread.postMessage(next.question);
  });
  return (question) =>
    new Promise((answered) => {
      waiting.push({ question, answered });
      if (waiting.length === 1) thread.postMessage(question);
    });
}

describe('a run that waits in the queue of a pool', () => {
  it.each([
    { queued: 'chance', marks: ['/connections/beside the run: answers of thread queue-chance.cjs'] },
    { queued: 'compute', marks: [] },
  ])(
    'is told what the thread answers it by $queued, though what it is asked stands in no run of its own',
    async ({ queued, marks }) => {
      const thread = await started(await threadFile(`queue-${queued}.cjs`, DRAWING));
      const ask = poolOf(thread);
      const first = agent('first', () => ask('compute'))();
      expect(await marksOf(() => ask(queued))).toEqual(marks);
      await first;
    },
  );

  it('leaves the class of threads the constructor of its instances', () => {
    expect(Worker.prototype.constructor).toBe(Worker);
  });

  it('is told so where the run goes on that started the thread, in whose context the platform gives its answers', async () => {
    const file = await threadFile('queue-started.cjs', DRAWING);
    const over = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<(question: string) => Promise<void>>();
    const starting = agent('starting', async () => {
      ready.resolve(poolOf(await started(file)));
      await over.promise;
    })();
    const ask = await ready.promise;
    const first = agent('first', () => ask('compute'))();
    expect(await marksOf(() => ask('chance'))).toEqual([
      '/connections/beside the run: answers of thread queue-started.cjs',
    ]);
    over.resolve();
    await Promise.all([starting, first]);
  });

  it('is told nothing of a thread that a timer outside of all runs asks, as one that watches for a blocked loop', async () => {
    const thread = await started(await threadFile('queue-watchdog.cjs', DRAWING));
    const timer = setInterval(() => thread.postMessage('alive'), 1);
    expect(await marksOf(() => once(thread, 'message').then(() => once(thread, 'message')))).toEqual([]);
    clearInterval(timer);
  });

  it('is told nothing of a thread that the code of another run asks', async () => {
    const thread = await started(await threadFile('queue-other.cjs', DRAWING));
    const begun = Promise.withResolvers<void>();
    const other = begun.promise.then(agent('other', () => ask(thread, 'chance')));
    const work = async (): Promise<void> => {
      begun.resolve();
      await other;
    };
    expect(await marksOf(work)).toEqual([]);
  });
});

describe('the run of a process, which begins with its first call', () => {
  const toldOf = (file: string) =>
    processConnections()
      .marks()
      .filter((mark) => mark.includes(file));

  it.each([
    { asked: 'compute', told: 0 },
    { asked: 'chance', told: 1 },
  ])(
    'is told of a thread that was started before, in no run, where that answers by $asked',
    async ({ asked, told }) => {
      const file = await threadFile(`script-${asked}.cjs`, DRAWING);
      await ask(await started(file), asked);
      expect(toldOf(file)).toEqual(Array(told).fill(`/connections/thread ${file}`));
    },
  );
});

describe('a run that asks or starts one of several threads', () => {
  it('is told which it asked by its file, where that of another has the same name', async () => {
    const logger = await started(await threadFile('logger/worker.cjs'));
    const file = await threadFile('pool/worker.cjs');
    const pool = await started(file);
    expect(await marksOf(() => ask(logger))).toEqual(['/connections/answers of thread worker.cjs']);
    expect(await marksOf(() => ask(pool))).toEqual([`/connections/answers of thread ${file}`]);
  });

  it('is told to lack nothing of one with a port, by which the platform sends what is for the other', async () => {
    const { port1: near, port2: far } = new MessageChannel();
    await ask(await started(await threadFile('with-port.cjs')), far, [far]);
    const file = await threadFile('asked.cjs');
    const asked = await started(file);
    expect(await marksOf(() => ask(asked))).toEqual(['/connections/answers of thread asked.cjs']);
    expect(await marksOf(() => started(file))).toEqual([`/connections/thread ${file}`]);
    expect(await marksOf(async () => near.postMessage('question'))).toEqual([
      '/connections/answers of thread with-port.cjs',
    ]);
    near.close();
  });

  it('is told what it lacks of one that it asks by its number', async () => {
    const begin = `process.on('workerMessage', () => parentPort.postMessage('answer'));`;
    const thread = await started(await threadFile('numbered.cjs', begin));
    const asking = async (): Promise<void> => {
      const answered = once(thread, 'message');
      await postMessageToThread(thread.threadId, 'question');
      await answered;
    };
    expect(await marksOf(asking)).toContain('/connections/answers of thread numbered.cjs');
  });

  it('is told what it lacks of one that it starts twice, whichever of them drew', async () => {
    const file = await threadFile(
      'drawing.cjs',
      `const counts = getEnvironmentData('reenact.thread-doings.1');
       Atomics.store(counts, 0, 1);
       if (workerData === 'draws') Atomics.add(counts, 2, 1);`,
    );
    const start = (...data: string[]) =>
      marksOf(async () => {
        for (const workerData of data) await started(file, workerData);
      });
    expect(await start('computes', 'computes')).toEqual([]);
    expect(await start('computes', 'draws')).toEqual([`/connections/thread ${file}`]);
    expect(await start('draws', 'computes')).toEqual([`/connections/thread ${file}`]);
  });
});
