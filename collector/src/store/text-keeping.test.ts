import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { encodeTracesProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { INDEX_FILE } from './database/schema.ts';
import { systemDisk } from './files/disk.ts';
import { MAINTENANCE_INTERVAL_MS, SEARCH_PAGE_BYTES } from './limits.ts';
import type { ClosingPart } from './log-store.ts';
import { openStore } from './open-store.ts';
import { SEARCH_FILE } from './search/open-search-file.ts';
import { SearchFile } from './search/search-file.ts';
import { toSearchableTexts } from './search/searchable-texts.ts';
import type { Store } from './store.ts';
import { verifyStore } from './verify/verify-store.ts';
import { StoreWriter } from './worker/store-writer.ts';

const TENANT = 'default';

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-texts-'));
  store = await openStore(directory);
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

function traceIdOf(number: number): string {
  return `a${number.toString(16).padStart(31, '0')}`;
}

async function append(number: number): Promise<void> {
  const span = {
    traceId: traceIdOf(number),
    spanId: `b${number.toString(16).padStart(15, '0')}`,
    name: 'chat',
    kind: 1,
    startTimeUnixNano: '1763700000000000001',
    endTimeUnixNano: '1763700001000000002',
  };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  await store.appendSpans(TENANT, walked.ok ? walked.spans : [], []);
}

/** Summarises all that is stale; each run says its number in words. */
async function summarise(): Promise<number> {
  const stale = await store.staleTraces(100);
  const summaries = stale.map((trace) => {
    const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    const text = `run number${Number.parseInt(trace.traceId.slice(1), 16)}`;
    return { trace, run: { ...run, texts: toSearchableTexts([{ spanId: '', part: 'input', text }]) } };
  });
  await store.writeSummaries(summaries);
  return stale.length;
}

async function fill(numbers: readonly number[]): Promise<void> {
  for (const number of numbers) await append(number);
  await summarise();
}

async function foundBy(text: string): Promise<string[]> {
  return (await store.listRuns(TENANT, { text }, 9)).runs.map(({ traceId }) => traceId).sort();
}

async function reopen(whileClosed: () => void): Promise<void> {
  await store.close();
  whileClosed();
  store = await openStore(directory);
}

describe('a run that is summarised again as it is', () => {
  it('is told anew where its texts are others, as where content of it was away, and only then', async () => {
    await append(1);
    const [trace] = await store.staleTraces(1);
    if (trace === undefined) expect.fail('nothing to summarise');
    const run = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter here'));
    const write = async (texts: readonly string[]): Promise<number> => {
      const made = toSearchableTexts(texts.map((text) => ({ spanId: '', part: 'input', text })));
      await store.writeSummaries([{ trace, run: { ...run, texts: made } }]);
      return store.lastSummary();
    };
    const first = await write(['before']);
    expect(await write(['before'])).toBe(first);
    const second = await write(['before', 'late']);
    expect(second).toBeGreaterThan(first);
    const told = async (text: string) => (await store.listSummarised(TENANT, { text }, first, 9)).length;
    expect([await told('late'), await told('never')]).toEqual([1, 0]);
    expect(await write(['before', 'late'])).toBe(second);
    const third = await write([]);
    expect(third).toBeGreaterThan(second);
    expect(await write([])).toBe(third);
  });
});

describe('a search file that is not that of its index', () => {
  it.each<readonly [string, (path: string) => void]>([
    ['is gone', (path) => rmSync(path)],
    ['is no database', (path) => writeFileSync(path, 'nothing of use'.repeat(999))],
    ['is empty', (path) => writeFileSync(path, '')],
  ])('%s: everything is summarised again', async (_, spoil) => {
    await fill([1, 2]);
    expect(await foundBy('number2')).toEqual([traceIdOf(2)]);
    await reopen(() => spoil(join(directory, SEARCH_FILE)));
    expect(await foundBy('number2')).toEqual([]);
    expect(await store.countStale(TENANT)).toBe(2);
    expect(await summarise()).toBe(2);
    expect(await foundBy('number2')).toEqual([traceIdOf(2)]);
  });

  it('is an older copy: that is noticed, and nothing is found that was deleted', async () => {
    await fill([1, 2]);
    const copy = join(directory, 'copy');
    await reopen(() => copyFileSync(join(directory, SEARCH_FILE), copy));
    await store.erase([[TENANT, traceIdOf(2)]]);
    await fill([3]);
    await reopen(() => copyFileSync(copy, join(directory, SEARCH_FILE)));
    expect(await store.countStale(TENANT)).toBe(2);
    expect(await foundBy('number2')).toEqual([]);
    await summarise();
    expect(await foundBy('run')).toEqual([traceIdOf(1), traceIdOf(3)]);
  });

  it('is that of an index before it was made again', async () => {
    await fill([1, 2]);
    await store.close();
    expect(verifyStore(directory, { rebuildIndex: true }).problems).toEqual([]);
    store = await openStore(directory);
    expect(await store.countStale(TENANT)).toBe(2);
    await summarise();
    expect(await foundBy('number1')).toEqual([traceIdOf(1)]);
  });
});

/** Opens it where the texts of a run that was deleted cannot leave it; they can once the trigger is gone. */
async function openHeld(onClosing: (part: ClosingPart) => void = () => undefined) {
  await fill([1, 2]);
  await store.close();
  const writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
  writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(2)]], isUrgent: true });
  writer.close();
  const held = new DatabaseSync(join(directory, SEARCH_FILE));
  held.exec("CREATE TRIGGER held BEFORE DELETE ON content BEGIN SELECT RAISE(ABORT, 'it is held'); END");
  const told: (string | undefined)[] = [];
  store = await openStore(directory, { onLeftovers: (error) => told.push(error), onClosing });
  await vi.waitFor(() => expect(told).toEqual([expect.stringContaining('it is held')]), { timeout: 30_000 });
  return { held, told };
}

describe('texts of deleted runs', () => {
  it('leave the search file at the next start where the process ended before they could', async () => {
    await fill([1, 2]);
    await reopen(() => {
      const writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
      writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(2)]], isUrgent: true });
      writer.close();
    });
    expect(await foundBy('run')).toEqual([traceIdOf(1)]);
    // Whatever is deleted now waits for what was left.
    await store.erase([]);
    await store.close();
    const file = new SearchFile(directory);
    expect(file.database.prepare('SELECT count(*) AS count FROM content').get()).toEqual({ count: 1 });
    file.close();
    expect(verifyStore(directory).problems).toEqual([]);
  });

  it('are never taken for those of a run that came later', async () => {
    await fill([1, 2]);
    await store.close();
    const writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
    writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(2)]], isUrgent: false });
    // As if their deletion had been forgotten.
    writer.database.exec('DELETE FROM text_erasure');
    writer.close();
    store = await openStore(directory);
    await append(2);
    expect(await store.readTexts(TENANT, traceIdOf(2))).toEqual([]);
    expect(await foundBy('number2')).toEqual([]);
    await store.close();
    expect(verifyStore(directory).problems).toEqual([
      { part: 'search', where: join(directory, SEARCH_FILE), what: '1 runs that are gone have texts' },
    ]);
  });
});

describe('texts of deleted runs that cannot leave yet', () => {
  it('are tried again where they could not leave, and whoever opened the store is told: nobody was, and the disk kept them', async () => {
    const { held, told } = await openHeld();
    expect((await store.stats()).backgroundError).toBe(told[0]);
    held.exec('DROP TRIGGER held');
    await vi.waitFor(() => expect(told).toEqual([told[0], undefined]), { timeout: 30_000 });
    expect((await store.stats()).backgroundError).toBeUndefined();
    expect(held.prepare('SELECT count(*) AS count FROM content').get()).toEqual({ count: 1 });
    held.close();
  });

  it('are not called gone where the store closes as they are tried again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const elapse = () => queueMicrotask(() => vi.advanceTimersByTime(2 * MAINTENANCE_INTERVAL_MS));
    const { held, told } = await openHeld((part) => part === 'text search' && elapse());
    // Nothing but the texts is left to go.
    await store.settle();
    await store.close();
    expect(told).toHaveLength(1);
    expect(held.prepare('SELECT count(*) AS count FROM content').get()).toEqual({ count: 2 });
    held.close();
  });

  it('are not tried again beside a deletion', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { held, told } = await openHeld();
    held.exec('DROP TRIGGER held');
    const erasing = store.eraseTenant('another');
    for (let isDone = false; !isDone; ) {
      vi.advanceTimersByTime(2 * MAINTENANCE_INTERVAL_MS);
      isDone = await Promise.race([erasing.then(() => true), setImmediate(false)]);
    }
    expect(held.prepare('SELECT count(*) AS count FROM content').get()).toEqual({ count: 2 });
    held.close();
    vi.advanceTimersByTime(2 * MAINTENANCE_INTERVAL_MS);
    vi.useRealTimers();
    await vi.waitFor(() => expect(told).toEqual([told[0], undefined]), { timeout: 30_000 });
  });
});

describe('a search file that lacks something', () => {
  it('is found by a check wherever its words are damaged, and the index is not blamed for it', async () => {
    await fill([1, 2, 3]);
    await store.close();
    const copy = `${directory}-copy`;
    const told: string[] = [];
    for (let from = SEARCH_PAGE_BYTES; from < statSync(join(directory, SEARCH_FILE)).size; from += SEARCH_PAGE_BYTES) {
      cpSync(directory, copy, { recursive: true });
      const damaged = readFileSync(join(copy, SEARCH_FILE)).fill(0xa5, from, from + SEARCH_PAGE_BYTES);
      writeFileSync(join(copy, SEARCH_FILE), damaged);
      told.push(...verifyStore(copy).problems.map(({ part }) => part));
      rmSync(copy, { recursive: true });
    }
    expect(told.length).toBeGreaterThan(2);
    expect(new Set(told)).toEqual(new Set(['search']));
  });

  it('is found by a check, and mended with the index', async () => {
    await fill([1, 2]);
    await store.close();
    const file = new SearchFile(directory);
    file.forget([Number(file.database.prepare('SELECT max(trace) AS trace FROM content').get()?.trace)]);
    file.close();
    const [problem] = verifyStore(directory).problems;
    expect(problem).toMatchObject({ part: 'search', what: '1 runs have no texts, or older ones than the index says' });
    expect(verifyStore(directory, { rebuildIndex: true }).problems).toEqual([]);
  });
});

describe('a backup', () => {
  it('can be searched at once', async () => {
    await fill([1, 2]);
    const target = `${directory}-backup`;
    await store.backup(target);
    const copy = await openStore(target);
    expect(await copy.countStale(TENANT)).toBe(0);
    expect((await copy.listRuns(TENANT, { text: 'number2' }, 9)).runs).toHaveLength(1);
    await copy.close();
    expect(verifyStore(target).problems).toEqual([]);
    rmSync(target, { recursive: true });
  });
});

describe('an index of a version that kept texts itself', () => {
  it('lets go of them, and has every run summarised again', async () => {
    await fill([1, 2]);
    await reopen(() => {
      rmSync(join(directory, SEARCH_FILE));
      const old = new DatabaseSync(join(directory, INDEX_FILE));
      old.exec(`
        CREATE TABLE content (trace INTEGER PRIMARY KEY, texts BLOB NOT NULL);
        CREATE VIRTUAL TABLE search USING fts5 (words, content = '', tokenize = "unicode61 remove_diacritics 0");
        INSERT INTO search (rowid, words) VALUES (1, 'run number1');
        DROP TABLE text_erasure;
        DELETE FROM state WHERE name LIKE 'search%';
        PRAGMA user_version = 4;
      `);
      old.close();
    });
    expect(existsSync(join(directory, SEARCH_FILE))).toBe(true);
    expect(await summarise()).toBe(2);
    expect(await foundBy('number1')).toEqual([traceIdOf(1)]);
    await store.close();
    const index = new DatabaseSync(join(directory, INDEX_FILE));
    const tables = index.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'search%' OR name = 'content'").all();
    index.close();
    expect(tables).toEqual([]);
    expect(verifyStore(directory).problems).toEqual([]);
  });
});
