import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { settleHurriedly } from '../testdata/settle-hurriedly.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import { INDEX_FILE } from './database/schema.ts';
import { systemDisk } from './files/disk.ts';
import { RECOMPRESS_IDLE_BYTES } from './limits.ts';
import { openStore } from './open-store.ts';
import { listPacks, packPath } from './pack/pack-file.ts';
import type { Store } from './store.ts';
import { directoryBytes } from './store-reader.ts';
import { verifyStore } from './verify/verify-store.ts';

const TENANT = 'default';
const RUNS_PER_PACK = 12;
const PACKS = 3;

/** What every run begins with, as instructions and tool definitions are the same everywhere: a dictionary holds it once. */
const SHARED = Array.from({ length: 900 }, (_, index) => `passage ${index * index} `).join('');

let directory: string;
let store: Store | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-recompression-'));
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await store?.close();
  store = undefined;
  rmSync(directory, { recursive: true, force: true });
});

function traceIdOf(number: number): string {
  return number.toString(16).padStart(32, '0');
}

function contentOf(number: number): string {
  return `${SHARED} run ${number} ${Array.from({ length: 400 }, (_, index) => number * index).join(' ')}`;
}

function spanOf(number: number, name = contentOf(number)): readonly SpanSlice[] {
  const ids = { traceId: traceIdOf(number), spanId: number.toString(16).padStart(16, '0') };
  const span = { ...ids, name, startTimeUnixNano: '1', endTimeUnixNano: '2' };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  return walked.spans;
}

/** A store that was under load: each pack was made in a hurry. */
async function fill(): Promise<void> {
  for (let pack = 0; pack < PACKS; pack += 1) {
    const filled = await openStore(directory);
    for (let run = 1; run <= RUNS_PER_PACK; run += 1)
      await filled.appendSpans(TENANT, spanOf(pack * RUNS_PER_PACK + run), []);
    await filled.close();
    settleHurriedly(directory);
  }
}

const packBytes = () => directoryBytes(join(directory, 'packs'));

/** Runs of which every byte is there. */
async function wholeRuns(of: Store): Promise<number[]> {
  const whole: number[] = [];
  for (let number = 1; number <= PACKS * RUNS_PER_PACK; number += 1) {
    const spans = await of.readTrace(TENANT, traceIdOf(number)).catch(() => []);
    const [expected] = spanOf(number);
    if (spans.length === 1 && Buffer.from(spans[0]?.bytes ?? []).equals(expected?.bytes ?? Buffer.alloc(0)))
      whole.push(number);
  }
  return whole;
}

const allRuns = Array.from({ length: PACKS * RUNS_PER_PACK }, (_, index) => index + 1);
const hurriedPacks = async (of: Store) => (await of.stats()).hurriedPacks;

/** Everything that a check finds. */
async function problems(): Promise<readonly unknown[]> {
  await store?.close();
  store = undefined;
  return verifyStore(directory).problems;
}

describe('packs that were made in a hurry', () => {
  beforeEach(fill);

  it('are compressed again once the store is idle, and not before', async () => {
    const before = packBytes();
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    store = await openStore(directory);
    const opened = store;
    expect(await hurriedPacks(opened)).toBe(PACKS);
    await vi.advanceTimersByTimeAsync(5_000);
    // The writer works in order: what was due at the first look is done when this is.
    await opened.check();
    expect(await hurriedPacks(opened)).toBe(PACKS);
    await vi.advanceTimersByTimeAsync(10_000);
    await vi.waitFor(async () => expect(await hurriedPacks(opened)).toBe(0), { timeout: 30_000 });
    await vi.waitFor(() => expect(readdirSync(join(directory, 'packs'))).toHaveLength(PACKS), { timeout: 30_000 });
    expect(packBytes()).toBeLessThan(before * 0.7);
    expect(await wholeRuns(opened)).toEqual(allRuns);
    vi.useRealTimers();
    expect(await problems()).toEqual([]);
  });

  it('wait while more comes than a trickle', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    store = await openStore(directory);
    const calls = vi.spyOn(WorkerLink.prototype, 'call');
    const asked = (name: string) => calls.mock.calls.filter(([type]) => type === name).length;
    for (let look = 1; look <= 4; look += 1) {
      await store.appendSpans(TENANT, spanOf(1000 + look, 'x'.repeat(RECOMPRESS_IDLE_BYTES)), []);
      await vi.advanceTimersByTimeAsync(5_000);
      await vi.waitFor(() => expect(asked('tidy')).toBe(look), { timeout: 30_000 });
    }
    expect([asked('planAgain'), await hurriedPacks(store)]).toEqual([0, PACKS]);
  });

  it('are compressed again where somebody asks to have everything settled', async () => {
    const before = packBytes();
    store = await openStore(directory);
    await store.settle();
    expect(await hurriedPacks(store)).toBe(0);
    expect(packBytes()).toBeLessThan(before * 0.7);
    expect(await wholeRuns(store)).toEqual(allRuns);
    expect(await problems()).toEqual([]);
  });

  it('cost no run where a size can be kept by compressing them again', async () => {
    const policy = { graceMs: 0, ordinaryMs: 1e12, specialMs: 1e12 };
    const smallest = `${directory}-smallest`;
    cpSync(directory, smallest, { recursive: true });
    const copy = await openStore(smallest);
    await copy.settle();
    await copy.expire({ ...policy, graceMs: 1e12, bytesMax: 0 }, Date.now());
    const bytesMax = (await copy.stats()).bytes + 1_000;
    await copy.close();
    rmSync(smallest, { recursive: true });
    store = await openStore(directory);
    expect(await store.expire({ ...policy, bytesMax }, Date.now() + 1_000)).toBe(0);
    expect((await store.stats()).bytes).toBeLessThanOrEqual(bytesMax);
    expect(await wholeRuns(store)).toEqual(allRuns);
  });
});

describe('packs that were made in a hurry, with time for them,', () => {
  beforeEach(fill);

  it('are known again by an index that is made again', async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `${INDEX_FILE}${suffix}`), { force: true });
    store = await openStore(directory);
    expect(await hurriedPacks(store)).toBe(PACKS);
    await store.settle();
    await store.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(directory, `${INDEX_FILE}${suffix}`), { force: true });
    store = await openStore(directory);
    expect(await hurriedPacks(store)).toBe(0);
    expect(await wholeRuns(store)).toEqual(allRuns);
  });

  it('are found in a store of an earlier version by what they lack: compressed again in idle time, once, and before any run for none', async () => {
    const database = new DatabaseSync(join(directory, INDEX_FILE));
    database.exec("ALTER TABLE pack DROP COLUMN is_hurried; DELETE FROM state WHERE name = 'packs_looked_at'");
    database.close();
    const before = packBytes();
    vi.useFakeTimers({ toFake: ['setInterval', 'performance'] });
    store = await openStore(directory);
    expect(await hurriedPacks(store)).toBe(0);
    const isPack = (pack: number) => packPath(directory, pack);
    const old = listPacks(systemDisk, directory).map(isPack);
    await vi.advanceTimersByTimeAsync(20_000);
    const left = () =>
      listPacks(systemDisk, directory)
        .map(isPack)
        .filter((path) => old.includes(path));
    await vi.waitFor(() => expect(left()).toEqual([]), { timeout: 30_000 });
    await vi.waitFor(() => expect(packBytes()).toBeLessThan(before * 0.7), { timeout: 30_000 });
    vi.useRealTimers();
    expect(await wholeRuns(store)).toEqual(allRuns);
    const made = listPacks(systemDisk, directory);
    await store.settle();
    expect(listPacks(systemDisk, directory)).toEqual(made);
    expect(await problems()).toEqual([]);
  });

  it('stay as they are where they cannot be read, and keep no other from its turn', async () => {
    const [first = 0] = listPacks(systemDisk, directory);
    const path = packPath(directory, first);
    const bytes = readFileSync(path);
    bytes.fill(0, 100, 200);
    writeFileSync(path, bytes);
    store = await openStore(directory);
    await expect(store.settle()).rejects.toMatchObject({ code: 'store-failed' });
    expect(await hurriedPacks(store)).toBe(1);
    expect(listPacks(systemDisk, directory)).toContain(first);
    expect(await wholeRuns(store)).toEqual(allRuns.slice(1));
  });

  it('leave nothing of a run that was deleted', async () => {
    store = await openStore(directory);
    const compressed = store.settle();
    expect(await store.erase([[TENANT, traceIdOf(5)]])).toBe(1);
    await compressed;
    expect(await wholeRuns(store)).toEqual(allRuns.filter((number) => number !== 5));
    expect(await problems()).toEqual([]);
  });
});
