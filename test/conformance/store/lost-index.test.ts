import { closeSync, cpSync, openSync, readFileSync, renameSync, rmSync, symlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type Store, type VerifyReport, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { plainRun } from './plain-run.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const PAGE_BYTES = 4096;
const RUNS = [1, 2, 3, 4, 5];
const testbed = new Testbed();
afterEach(() => testbed.dispose());

/** One span of a run of its own. */
const runOf = (number: number) => sliceSpans(makeSpan({ traceId: traceIdOf(number), spanId: spanIdOf(number) }));

async function append(store: Store, numbers: readonly number[], destinations: readonly string[]): Promise<void> {
  for (const number of numbers) await store.appendSpans(TENANT, runOf(number), destinations);
}

async function deliver(store: Store, destination: string, items: number): Promise<void> {
  const batch = await store.peekQueue(destination, items, 1e9);
  await store.settleQueue(batch?.entries.map(({ queueId }) => queueId) ?? []);
}

async function stepsOfOpening(directory: string): Promise<readonly string[]> {
  const told: string[] = [];
  const store = await openStore(directory, { onOpening: ({ what }) => told.push(what) });
  await store.close();
  return told;
}

async function withStore<Result>(directory: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(directory);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** The runs whose spans are queued for a destination, in order. */
async function queuedFor(store: Store, destination: string): Promise<readonly (number | undefined)[]> {
  const batch = await store.peekQueue(destination, 1000, 1e9);
  const idsOf = (item: { readonly bytes: Uint8Array } | undefined) => Buffer.from(item?.bytes ?? []).toString('hex');
  return batch?.entries.map(({ item }) => RUNS.find((run) => idsOf(item).includes(spanIdOf(run)))) ?? [];
}

function loseIndex(directory: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `index.sqlite${suffix}`), { force: true });
}

/** Page 1 of a database, without which SQLite reads none of the others. */
function damageFirstPage(directory: string): void {
  const file = openSync(join(directory, 'index.sqlite'), 'r+');
  writeSync(file, Buffer.alloc(PAGE_BYTES), 0, PAGE_BYTES, 0);
  closeSync(file);
}

const rebuild = (directory: string): VerifyReport => verifyStore(directory, { rebuildIndex: true });

/** Two runs delivered and settled, two settled, one in the log; one of them kept, and for `b` only the last two. */
async function makeStore(): Promise<string> {
  const directory = await testbed.directory();
  await withStore(directory, async (store) => {
    await append(store, [1, 2, 3], ['a']);
    await deliver(store, 'a', 2);
    await append(store, [4], ['a', 'b']);
    await store.keepRun(TENANT, traceIdOf(3), 'incident');
    await store.settle();
    await append(store, [5], ['a', 'b']);
  });
  return directory;
}

/** Summarises what waits for it. */
async function summarise(store: Store): Promise<void> {
  const stale = await store.staleTraces(10);
  await store.writeSummaries(stale.map((trace) => ({ trace, run: plainRun(numberOf(trace.traceId)) })));
}

const numberOf = (traceId: string): number => RUNS.find((run) => traceIdOf(run) === traceId) ?? 0;

describe('an index that is made again', () => {
  it('has those who follow runs told of what the log held and of what has come since, and not of all there is', async () => {
    const directory = await makeStore();
    const last = await withStore(directory, async (store) => {
      await summarise(store);
      return store.lastSummary();
    });
    loseIndex(directory);
    rebuild(directory);
    await withStore(directory, async (store) => {
      await store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId: traceIdOf(2), spanId: spanIdOf(9) })), []);
      await summarise(store);
      const toldAfter = async (place: number) =>
        (await store.listSummarised(TENANT, {}, place, 10)).map(({ summary }) => numberOf(summary.traceId)).toSorted();
      expect([await toldAfter(last), await toldAfter(0)]).toEqual([[2, 5], RUNS]);
    });
  });
});

describe.each([
  ['gone', loseIndex],
  ['damaged in its first page', damageFirstPage],
])('an index that is %s', (_, lose) => {
  it('takes nothing with it of what was still to be sent on, and the check says what may be sent twice', async () => {
    const directory = await makeStore();
    lose(directory);
    const report = rebuild(directory);
    expect(report.problems).toEqual([]);
    expect(report.queuedAgain).toEqual({ a: 3, b: 2 });
    await withStore(directory, async (store) => {
      expect(await queuedFor(store, 'a')).toEqual([3, 4, 5]);
      expect(await queuedFor(store, 'b')).toEqual([4, 5]);
    });
  });
});

describe('an index that is lost', () => {
  it('is made again at the start of a collector, which says so', async () => {
    const directory = await makeStore();
    loseIndex(directory);
    const lines: string[] = [];
    const running = await testbed.start({ dataDirectory: directory }, { log: (line) => lines.push(line) });
    await running.stop();
    const told = lines.map((line) => JSON.parse(line) as { event: string; queuedItems?: number });
    expect(told).toContainEqual(expect.objectContaining({ level: 'warn', event: 'index made again', queuedItems: 5 }));
  });

  it('tells how far that is', async () => {
    const directory = await makeStore();
    loseIndex(directory);
    expect(await stepsOfOpening(directory)).toEqual(
      expect.arrayContaining(['making the index again', 'reading the log']),
    );
  });

  it('is whole, or made again by the next opening, where one was broken off', async () => {
    const directory = await makeStore();
    loseIndex(directory);
    const ending = new AbortController();
    const opening = openStore(directory, { signal: ending.signal, onOpening: () => ending.abort() });
    await expect(opening).rejects.toMatchObject({ code: 'store-failed', where: directory, retryable: true });
    // How far the thread had come by then nobody can say: on a busy machine it hears of the end when all is made.
    await withStore(directory, async (store) => expect(await queuedFor(store, 'a')).toEqual([3, 4, 5]));
    expect(verifyStore(directory).problems).toEqual([]);
  });

  it('is a loss that the check names where nothing says what had been sent', async () => {
    const directory = await makeStore();
    loseIndex(directory);
    rmSync(join(directory, 'queues.json'));
    const { problems } = rebuild(directory);
    expect(problems.map(({ part, where }) => [part, where])).toEqual([['index', join(directory, 'queues.json')]]);
  });

  it('queues nothing again that was given up', async () => {
    const directory = await makeStore();
    await withStore(directory, async (store) => {
      await store.settle();
      await store.dropQueue('a');
    });
    loseIndex(directory);
    expect(rebuild(directory).queuedAgain).toEqual({ b: 2 });
  });

  it('is made again from a backup, too', async () => {
    const directory = await makeStore();
    const copy = join(await testbed.directory(), 'copy');
    await withStore(directory, (store) => store.backup(copy));
    loseIndex(copy);
    expect(rebuild(copy).queuedAgain).toEqual({ a: 3, b: 2 });
  });

  it('queues what a settlement had written and not yet taken from the log', async () => {
    const directory = await testbed.directory();
    const before = join(await testbed.directory(), 'before');
    await withStore(directory, async (store) => {
      await append(store, [1], ['a']);
    });
    cpSync(directory, before, { recursive: true });
    await withStore(directory, (store) => store.settle());
    cpSync(join(directory, 'packs'), join(before, 'packs'), { recursive: true });
    loseIndex(before);
    expect(rebuild(before)).toMatchObject({ problems: [], queuedAgain: { a: 1 } });
  });
});

/** A file of the system that can be opened and has a size, and of which every read fails, as of a disk with bad sectors. */
const UNREADABLE = '/sys/class/net/lo/speed';

function failsToRead(): boolean {
  try {
    readFileSync(UNREADABLE);
    return false;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EINVAL';
  }
}

describe.skipIf(!failsToRead())('an index that the disk does not give', () => {
  it('is not made again, and is whole where the disk gives it once more', async () => {
    const directory = await makeStore();
    const index = join(directory, 'index.sqlite');
    renameSync(index, `${index}.aside`);
    symlinkSync(UNREADABLE, index);
    const what = expect.stringContaining('the disk does not give all of it');
    expect(verifyStore(directory).problems).toEqual([{ part: 'index', where: index, what }]);
    expect(() => rebuild(directory)).toThrow('EINVAL');
    rmSync(index);
    renameSync(`${index}.aside`, index);
    expect(rebuild(directory)).toMatchObject({ problems: [] });
    await withStore(directory, async (store) => expect(await queuedFor(store, 'a')).toEqual([3, 4, 5]));
  });
});

describe('an index that is made again and can still be read', () => {
  it('keeps its queues as they were, metrics with them', async () => {
    const directory = await makeStore();
    const metrics = Buffer.from('metrics');
    await withStore(directory, async (store) => {
      await deliver(store, 'a', 1);
      await store.appendMetrics(TENANT, { format: 'protobuf', bytes: metrics }, ['b']);
      await store.settle();
    });
    const report = rebuild(directory);
    expect(report.problems).toEqual([]);
    expect(report.queuedAgain).toBeUndefined();
    await withStore(directory, async (store) => {
      expect(await queuedFor(store, 'a')).toEqual([4, 5]);
      await deliver(store, 'b', 2);
      const [entry] = (await store.peekQueue('b', 1, 1e9))?.entries ?? [];
      expect(Buffer.from(entry?.item?.bytes ?? [])).toEqual(metrics);
    });
  });

  it('keeps the marks of kept runs where the chain, which has them too, is lost', async () => {
    const directory = await makeStore();
    rmSync(join(directory, 'chain'), { recursive: true });
    rebuild(directory);
    await withStore(directory, async (store) => {
      for (const trace of await store.staleTraces(100)) await store.writeSummaries([{ trace, run: plainRun(1) }]);
      const days = { graceMs: 0, ordinaryMs: 1, specialMs: 1e12, bytesMax: Number.POSITIVE_INFINITY };
      await store.expire(days, Date.now() + 1e6);
      expect(await store.readTrace(TENANT, traceIdOf(4))).toEqual([]);
      expect(await store.readTrace(TENANT, traceIdOf(3))).toHaveLength(1);
    });
  });

  it('queues what it had not read of the log', async () => {
    const directory = await testbed.directory();
    const early = join(await testbed.directory(), 'early');
    await withStore(directory, (store) => append(store, [1], ['a']));
    cpSync(directory, early, { recursive: true });
    await withStore(directory, (store) => append(store, [2], ['a']));
    loseIndex(directory);
    cpSync(join(early, 'index.sqlite'), join(directory, 'index.sqlite'));
    rebuild(directory);
    await withStore(directory, async (store) => {
      expect(await queuedFor(store, 'a')).toEqual([1, 2]);
    });
  });
});
