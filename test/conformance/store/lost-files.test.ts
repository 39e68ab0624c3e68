import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type RetentionPolicy, type Store, verifyStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { plainRun } from './plain-run.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const testbed = new Testbed();
afterEach(() => testbed.dispose());

async function withStore<Result>(directory: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(directory);
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** One span of a run, by default of a run of its own. */
const append = (store: Store, span: number, run = span) =>
  store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId: traceIdOf(run), spanId: spanIdOf(span) })), []);

/** Three runs settled, the last of them kept, and one in the log. */
async function makeStore(): Promise<string> {
  const directory = await testbed.directory();
  await withStore(directory, async (store) => {
    for (const run of [1, 2, 3]) await append(store, run);
    await store.keepRun(TENANT, traceIdOf(3), 'incident');
    await store.settle();
    await append(store, 4);
  });
  return directory;
}

type Lost = 'index' | 'log' | 'chain';

function lose(directory: string, ...parts: readonly Lost[]): void {
  for (const part of parts) {
    const names = part === 'index' ? ['index.sqlite', 'index.sqlite-wal', 'index.sqlite-shm'] : [part];
    for (const name of names) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/** Changes one byte of the first record of a file of the chain. */
function damageChain(directory: string, fileNumber: number): string {
  const name = readdirSync(join(directory, 'chain')).sort()[fileNumber] ?? '';
  const path = join(directory, 'chain', name);
  const bytes = readFileSync(path);
  bytes[60] = (bytes[60] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  return path;
}

const spansOf = (directory: string, runs: readonly number[]) =>
  withStore(directory, async (store) => {
    const counts: number[] = [];
    for (const run of runs) counts.push((await store.readTrace(TENANT, traceIdOf(run))).length);
    return counts;
  });

/** Until a run is summarised it may have failed, and is kept for longer. */
async function summarise(store: Store): Promise<void> {
  for (const trace of await store.staleTraces(100)) await store.writeSummaries([{ trace, run: plainRun(1) }]);
}

/** A policy by which all goes that was received before a time, and is not kept. */
const receivedBefore = (timeMs: number): [RetentionPolicy, number] => [
  { graceMs: 0, ordinaryMs: 0, specialMs: 1e12, bytesMax: Number.POSITIVE_INFINITY },
  timeMs,
];

async function eventsOf(directory: string): Promise<readonly string[]> {
  const lines: string[] = [];
  const running = await testbed.start({ dataDirectory: directory }, { log: (line) => lines.push(line) });
  await running.stop();
  return lines.map((line) => (JSON.parse(line) as { event: string }).event);
}

describe.each<readonly Lost[][]>([[['index', 'log']], [['index', 'log', 'chain']]])(
  'a directory without %s',
  (lost) => {
    it('gives no id twice: what is received into it is kept, of runs that it has as well as of new ones', async () => {
      const directory = await makeStore();
      lose(directory, ...lost);
      await withStore(directory, async (store) => {
        expect(await append(store, 11, 1)).toMatchObject({ stored: 1, deduplicated: 0 });
        expect(await append(store, 12)).toMatchObject({ stored: 1, deduplicated: 0 });
        expect(await append(store, 2)).toMatchObject({ stored: 0, deduplicated: 1 });
        await store.settle();
      });
      expect(await spansOf(directory, [1, 2, 3, 12])).toEqual([2, 1, 1, 1]);
      lose(directory, 'index');
      expect(await spansOf(directory, [1, 2, 3, 12])).toEqual([2, 1, 1, 1]);
      expect(verifyStore(directory).problems.filter(({ part }) => part !== 'chain' && part !== 'log')).toEqual([]);
    });

    it('says at the start that frames are missing', async () => {
      const directory = await makeStore();
      lose(directory, ...lost);
      expect(await eventsOf(directory)).toEqual(expect.arrayContaining(['index made again', 'frames missing']));
    });
  },
);

describe('a pack that is gone', () => {
  it('is named once with how much was in it, and once more with nothing when it is back', async () => {
    const directory = await makeStore();
    const [name = ''] = readdirSync(join(directory, 'packs'));
    const path = join(directory, 'packs', name);
    const bytes = readFileSync(path);
    rmSync(path);
    const gone = 'it is gone, and with it the 3 items that the index knows in it';
    expect(verifyStore(directory).problems).toEqual([{ part: 'pack', where: path, what: gone }]);
    writeFileSync(path, bytes);
    expect(verifyStore(directory).problems).toEqual([]);
  });
});

describe('a directory without the log that its index knows', () => {
  it('is not used as if nothing had been in it, and goes on with an index that is made again', async () => {
    const directory = await makeStore();
    lose(directory, 'log');
    await expect(openStore(directory)).rejects.toMatchObject({
      code: 'store-failed',
      where: expect.stringContaining(join(directory, 'log')) as string,
      next: expect.stringContaining('--rebuild-index') as string,
    });
    expect(verifyStore(directory).problems.map(({ part }) => part)).toContain('log');
    const { problems } = verifyStore(directory, { rebuildIndex: true });
    expect(problems.map(({ what }) => what)).toEqual(['frame 5 is missing before it']);
    await withStore(directory, (store) => append(store, 12));
    expect(await spansOf(directory, [1, 2, 3, 4, 12])).toEqual([1, 1, 1, 0, 1]);
  });
});

/** Files of the log that are in use, the oldest first. */
const logFiles = (directory: string) => readdirSync(join(directory, 'log')).filter((name) => name.endsWith('.log'));

/** Blanks the header of a log file, or so many bytes from its beginning; gives its path, and what it holds then. */
function blankLog(directory: string, bytes = 64, file = 0): { readonly path: string; readonly left: Buffer } {
  const path = join(directory, 'log', logFiles(directory)[file] ?? '');
  const left = readFileSync(path).fill(0, 0, bytes);
  writeFileSync(path, left);
  return { path, left };
}

const told = (directory: string, rebuildIndex = false) =>
  verifyStore(directory, { rebuildIndex }).problems.map(({ what }) => what);

describe('a log file whose header is damaged', () => {
  it('has it written anew with an index that is made again, and loses nothing', async () => {
    const directory = await makeStore();
    const { path } = blankLog(directory);
    await expect(openStore(directory)).rejects.toMatchObject({ code: 'store-failed', where: path });
    expect(told(directory)).toContain('its header is damaged');
    expect(told(directory, true)).toEqual([]);
    await withStore(directory, (store) => append(store, 12));
    expect(await spansOf(directory, [1, 2, 3, 4, 12])).toEqual([1, 1, 1, 1, 1]);
    expect(told(directory)).toEqual([]);
  });

  it('loses the frames alone that are damaged, too', async () => {
    const directory = await makeStore();
    await withStore(directory, (store) => append(store, 5));
    blankLog(directory, 200);
    expect(told(directory, true)).toEqual(['it is damaged', 'frame 5 is missing before it']);
    expect(await spansOf(directory, [1, 4, 5])).toEqual([1, 0, 1]);
  });

  it('takes nothing for received that an earlier use of the file has left in it', async () => {
    const directory = await testbed.directory();
    await withStore(directory, async (store) => {
      for (const run of [1, 2, 3]) await append(store, run);
      await store.settle();
      await append(store, 4);
      await store.settle();
      await append(store, 5);
    });
    const { left } = blankLog(directory);
    expect(left.includes(Buffer.from(spanIdOf(3), 'hex'))).toBe(true);
    expect(verifyStore(directory, { rebuildIndex: true })).toMatchObject({ items: 5, frames: 5, problems: [] });
    expect(await spansOf(directory, [1, 2, 3, 4, 5])).toEqual([1, 1, 1, 1, 1]);
  });

  it('is passed over where nothing says how the chain stood before it, and what comes then lies behind it', async () => {
    const directory = await makeStore();
    lose(directory, 'chain');
    const { path, left } = blankLog(directory);
    expect(told(directory, true)).toContain('its header is damaged');
    await withStore(directory, (store) => append(store, 12));
    await withStore(directory, (store) => append(store, 13));
    expect(await spansOf(directory, [1, 2, 3, 4, 12, 13])).toEqual([1, 1, 1, 0, 1, 1]);
    expect(readFileSync(path)).toEqual(left);
  });
});

describe('a pack whose head is damaged', () => {
  it('has it written anew with an index that is made again, and is served all the time', async () => {
    const directory = await makeStore();
    const path = join(directory, 'packs', readdirSync(join(directory, 'packs'))[0] ?? '');
    writeFileSync(path, readFileSync(path).fill(0, 0, 16));
    expect(told(directory)).toEqual(['the head of the pack is damaged']);
    expect(await spansOf(directory, [1, 2, 3])).toEqual([1, 1, 1]);
    expect(told(directory, true)).toEqual([]);
    expect(told(directory)).toEqual([]);
    expect(await spansOf(directory, [1, 2, 3, 4])).toEqual([1, 1, 1, 1]);
  });
});

describe('a folder in the place of a pack', () => {
  it('is to the check a pack that is gone', async () => {
    const directory = await makeStore();
    const path = join(directory, 'packs', readdirSync(join(directory, 'packs'))[0] ?? '');
    rmSync(path);
    const lost = told(directory);
    expect(lost).not.toEqual([]);
    mkdirSync(path);
    expect(told(directory)).toEqual(lost);
    told(directory, true);
    expect(await spansOf(directory, [4])).toEqual([1]);
  });
});

describe('a damaged file of the format', () => {
  it('is told of with what helps, and is made again', async () => {
    const directory = await makeStore();
    const path = join(directory, 'recordings.sqlite');
    writeFileSync(path, 'no database');
    const told = { where: path, next: expect.stringContaining('recordings.sqlite-shm elsewhere') as string };
    await expect(openStore(directory)).rejects.toMatchObject(told);
    expect(() => verifyStore(directory, { rebuildIndex: true })).toThrow(expect.objectContaining(told));
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    expect(verifyStore(directory).problems).toEqual([]);
    expect(await spansOf(directory, [1, 2, 3, 4])).toEqual([1, 1, 1, 1]);
  });
});

describe('a directory without chain and index', () => {
  it('says at the start, and in the check, that marks of kept runs are gone; of its packs it says once what is the matter', async () => {
    const directory = await makeStore();
    lose(directory, 'chain', 'index');
    expect(await eventsOf(directory)).toContain('frames missing');
    lose(directory, 'index');
    const { problems } = verifyStore(directory);
    expect(problems.map(({ part }) => part)).toEqual(['index', 'log', 'chain']);
    expect(problems[0]?.what).toContain('marks of kept runs');
    expect(problems[2]?.what).toContain('3 items');
  });
});

describe('a chain that is damaged', () => {
  it('is what the check names, and not the packs that it vouches for; what lies behind the damage still counts', async () => {
    const directory = await makeStore();
    const path = damageChain(directory, 0);
    const { problems } = verifyStore(directory);
    expect(problems.map(({ part }) => part)).toEqual(['chain', 'chain', 'chain']);
    expect(problems[0]).toMatchObject({ where: `${path} at byte 0` });
    expect(problems[2]?.what).toContain('1 items');
    lose(directory, 'index');
    await withStore(directory, async (store) => {
      await summarise(store);
      await store.expire(...receivedBefore(Date.now() + 1000));
    });
    expect(await spansOf(directory, [2, 3])).toEqual([0, 1]);
  });

  it('makes nothing older than it is of which it no longer says when it came', async () => {
    const directory = await testbed.directory();
    const first = Date.now();
    await withStore(directory, async (store) => {
      await append(store, 1);
      await store.settle();
    });
    while (Date.now() <= first + 1);
    const second = Date.now();
    await withStore(directory, async (store) => {
      await append(store, 2);
      await store.settle();
    });
    damageChain(directory, 1);
    lose(directory, 'index');
    await withStore(directory, async (store) => {
      await summarise(store);
      await store.expire(...receivedBefore(second));
    });
    expect(await spansOf(directory, [1, 2])).toEqual([0, 1]);
  });
});
