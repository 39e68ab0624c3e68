import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, systemDisk } from '../files/disk.ts';
import { ItemReader } from '../index/item-reader.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { verifySpanIndex } from '../index/span-index.ts';
import { encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { BatchSource } from '../pack/batch-source.ts';
import { Settler } from '../pack/settler.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { StoreWriter } from './store-writer.ts';
import { CutDisk, type Dice } from './testdata/cut-disk.ts';

const SIZES = { segmentBytes: 16 * 1024, firstBytes: 2048 };
/** So little that settling is in a hurry about every other time. */
const SETTLE_AT = { logBytes: 2048, hurryLogBytes: 8 * 1024 };
const TENANT = 'default';
const TRACES = 3;
/** So few that span ids are entered every other time. */
const SPAN_BATCH_ITEMS = 5;

/** Rounds in which the power goes. Raised by the heavy suite. */
const ROUNDS = Number(process.env.REENACT_TEST_POWER_CUTS ?? 6);

function diceOf(seed: number): Dice {
  let state = seed >>> 0;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

function traceIdOf(number: number): string {
  return `a${(number % TRACES).toString(16).padStart(31, '0')}`;
}

function spanIdOf(number: number): string {
  return `b${number.toString(16).padStart(15, '0')}`;
}

function contentOf(number: number): Buffer {
  return Buffer.from(`span ${number} `.repeat(1 + ((number * 37) % 300)));
}

function frameOf(numbers: readonly number[]): Buffer {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const items = numbers.map(
    (number, id) =>
      ({
        id,
        signal: 0,
        traceId: traceIdOf(number),
        spanId: spanIdOf(number),
        timeNs: BigInt(number),
        rank: 4,
        format: 'protobuf',
        resource: 0,
        scope: 0,
        bytes: contentOf(number),
      }) as const,
  );
  return encodeBatch({ tenant: TENANT, destinations: [], groups: [none], items }, 0, FRAME_HEADER_BYTES);
}

/** What is known beyond one life of the machine. */
interface Witness {
  readonly acknowledged: Set<number>;
  /** What was acknowledged and deleted since. */
  readonly erased: Set<number>;
  next: number;
  /** How many packs were to be compressed again. */
  recompressed: number;
}

/** Copies the index with each commit that SQLite was told to sync: no other has to outlive a power cut. */
function keepSynced(database: DatabaseSync, keepIndex: () => void): void {
  const exec = database.exec.bind(database);
  let isSynced = false;
  database.exec = (sql) => {
    exec(sql);
    if (sql.startsWith('PRAGMA synchronous')) isSynced = sql.endsWith('FULL');
    else if (sql === 'COMMIT' && isSynced) keepIndex();
  };
}

/** One life: works until the power goes. Copies of the index stand for what a sync made of it. */
function live(disk: Disk, directory: string, witness: Witness, dice: Dice, syncedIndex: string): void {
  const writer = new StoreWriter({
    dataDirectory: directory,
    disk,
    sizes: SIZES,
    settleAt: SETTLE_AT,
    spanBatchItems: SPAN_BATCH_ITEMS,
  });
  const database = openIndexForReading(directory);
  const keepIndex = () => copyIndex(directory, syncedIndex);
  keepSynced(writer.database, keepIndex);
  try {
    keepIndex();
    for (;;) {
      const choice = dice(13);
      if (choice === 12) erase(writer, witness, dice(TRACES), dice(2) === 0);
      else if (choice < 7) append(writer, witness, dice, 1 + dice(4));
      else if (choice < 9) settle(writer, new Settler(database, disk, directory), witness, dice);
      else if (choice < 10) writer.tidyIndex(true);
      else if (choice < 11) writer.reclaim();
      else writer.giveUpRoom();
    }
  } finally {
    database.close();
    writer.database.close();
  }
}

/** Now and then a request has what was sent before between what is new. */
function append(writer: StoreWriter, witness: Witness, dice: Dice, count: number): void {
  const next = () => {
    witness.next += 1;
    return witness.next;
  };
  const known = [...witness.acknowledged].at(-1);
  const requests = Array.from({ length: count }, () =>
    known === undefined || dice(3) > 0 ? [next()] : [next(), known, next()],
  );
  writer.append(requests.map(frameOf));
  for (const number of requests.flat()) witness.acknowledged.add(number);
}

function erase(writer: StoreWriter, witness: Witness, trace: number, isUrgent: boolean): void {
  const { acknowledged, erased } = witness;
  const gone = [...acknowledged].filter((number) => number % TRACES === trace);
  // Until the deletion has come to its end they may be there or not.
  for (const number of gone) acknowledged.delete(number);
  writer.control({ type: 'erase', traces: [[TENANT, traceIdOf(trace)]], isUrgent });
  for (const number of gone) erased.add(number);
}

function settle(writer: StoreWriter, settler: Settler, witness: Witness, dice: Dice): void {
  const isAgain = dice(2) === 0;
  const due = () => writer.book.plan(dice(2) === 0 ? 'everything' : 'due', Date.now() + dice(2) * 120_000);
  const plan = isAgain ? writer.book.planAgain([]) : due();
  if (plan === undefined) return;
  if (isAgain) witness.recompressed += 1;
  const steps = writer.book.apply(settler.settle(plan));
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      writer.book.release(step.value);
      return;
    }
    if (dice(4) === 0) append(writer, witness, dice, 1);
  }
}

function copyIndex(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of ['index.sqlite', 'index.sqlite-wal']) {
    rmSync(join(to, name), { force: true });
    if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name));
  }
}

/** Every acknowledged span is there once, byte for byte, and nothing of what was deleted or never sent. */
function examine(directory: string, { acknowledged, erased, next }: Witness): void {
  const writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk, sizes: SIZES });
  const database = openIndexForReading(directory);
  const reader = new ItemReader(database, new BatchSource(database, systemDisk, directory));
  const found = new Map<string, string>();
  for (let trace = 0; trace < TRACES; trace += 1) {
    for (const { spanId, bytes, versions } of reader.readTrace(TENANT, traceIdOf(trace))) {
      expect(versions).toBe(1);
      expect(found.has(spanId)).toBe(false);
      found.set(spanId, Buffer.from(bytes).toString());
    }
  }
  for (const number of acknowledged) {
    expect(found.get(spanIdOf(number))).toBe(contentOf(number).toString());
    expect(reader.findTrace(TENANT, spanIdOf(number))).toBe(traceIdOf(number));
  }
  for (const number of erased) expect(found.get(spanIdOf(number))).toBeUndefined();
  expect(verifySpanIndex(database)).toEqual([]);
  expect(found.size).toBeLessThanOrEqual(next);
  database.close();
  writer.close();
  expect(verifyStore(directory).problems).toEqual([]);
}

describe('a power cut', () => {
  let base = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'reenact-power-'));
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('loses nothing acknowledged and doubles nothing, wherever it strikes', { timeout: 900_000 }, () => {
    let lives = 0;
    let recompressed = 0;
    const nextDirectory = () => {
      lives += 1;
      return join(base, String(lives));
    };
    const property = fc.property(fc.nat(), fc.integer({ min: 5, max: 400 }), (seed, operations) => {
      const dice = diceOf(seed);
      const witness: Witness = { acknowledged: new Set(), erased: new Set(), next: 0, recompressed: 0 };
      let directory = nextDirectory();
      mkdirSync(directory);
      for (let life = 0; life < 3; life += 1) {
        const disk = new CutDisk(directory, operations + dice(50));
        const syncedIndex = join(base, `index-${lives}`);
        expect(() => live(disk, directory, witness, dice, syncedIndex)).toThrow(
          expect.objectContaining({ what: 'the power is gone' }),
        );
        const after = nextDirectory();
        disk.writeRemains(after, dice);
        // Commits of the index between syncs may or may not be there, and now and then all of it is lost.
        if (dice(4) > 0) copyIndex(dice(2) === 0 ? syncedIndex : directory, after);
        rmSync(directory, { recursive: true, force: true });
        directory = after;
      }
      examine(directory, witness);
      recompressed += witness.recompressed;
      rmSync(directory, { recursive: true, force: true });
    });
    fc.assert(property, { numRuns: ROUNDS, endOnFailure: true });
    expect(recompressed).toBeGreaterThan(0);
  });
});
