import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesWith } from '../../testdata/files-with.ts';
import { systemDisk } from '../files/disk.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { SETTLE_BYTES_MAX, SMALL_PACKS_MAX } from '../limits.ts';
import { type BatchItem, encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { type Settlement, Settler } from '../pack/settler.ts';
import { verifyStore } from '../verify/verify-store.ts';
import { StoreWriter } from './store-writer.ts';

let directory: string;
let writer: StoreWriter;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-settlement-book-'));
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
});
afterEach(() => {
  writer.close();
  rmSync(directory, { recursive: true });
});

/** Appends one trace of so many small spans for each number. */
function appendTraces(spans: readonly number[]): void {
  writer.append(spans.map((count, number) => frameOf(count, number)));
}

const traceIdOf = (number: number) => (number + 1).toString(16).padStart(32, '0');

function frameOf(spans: number, number: number, text = ''): Buffer {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const items = Array.from({ length: spans }, (_, id): BatchItem => {
    const bytes = Buffer.from(`span ${number} ${id} ${text}`);
    const traceId = traceIdOf(number);
    const spanId = (id + 1).toString(16).padStart(16, '0');
    const facts = { traceId, spanId, timeNs: 1n, rank: 4, format: 'protobuf', resource: 0, scope: 0 } as const;
    return { id, signal: 0, ...facts, bytes };
  });
  return encodeBatch({ tenant: 'default', destinations: [], groups: [none], items }, 0, FRAME_HEADER_BYTES);
}

function settleAll(): Settlement | undefined {
  const plan = writer.book.plan('everything', 0);
  if (plan === undefined) return undefined;
  const database = openIndexForReading(directory);
  const settlement = new Settler(database, systemDisk, directory).settle(plan);
  database.close();
  return settlement;
}

/** Books all that is to be settled until there is none, of which there has to be an end. */
function settleToTheEnd(): void {
  let left = 50;
  for (let settlement = settleAll(); settlement !== undefined; settlement = settleAll()) {
    left -= 1;
    expect(left).toBeGreaterThan(0);
    const steps = writer.book.apply(settlement);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    writer.book.release(step.value);
  }
}

/** Settles everything, and gives how many items and blocks were booked behind each step. */
function bookedBySteps(): { readonly items: number; readonly blocks: number }[] {
  const database = openIndexForReading(directory);
  const plan = writer.book.plan('everything', 0);
  if (plan === undefined) throw new Error('nothing is to be settled');
  const count = (sql: string) => Number(database.prepare(sql).get()?.count);
  const booked: { readonly items: number; readonly blocks: number }[] = [];
  const steps = writer.book.apply(new Settler(database, systemDisk, directory).settle(plan));
  for (let isDone = false; !isDone; ) {
    isDone = steps.next().done === true;
    booked.push({
      items: count('SELECT count(*) AS count FROM item WHERE block > 0'),
      blocks: count('SELECT count(*) AS count FROM block'),
    });
  }
  database.close();
  return booked;
}

it('books blocks of many traces in one step: each step is a commit, and most traces have a few spans', () => {
  appendTraces(Array.from({ length: 200 }, () => 3));
  expect(bookedBySteps()).toEqual([
    { items: 0, blocks: 0 },
    { items: 600, blocks: 200 },
  ]);
});

it('books a large block in several steps, and small ones with the rest of it', () => {
  appendTraces([2400, ...Array.from({ length: 399 }, () => 2)]);
  expect(bookedBySteps()).toEqual([
    { items: 0, blocks: 0 },
    { items: 1000, blocks: 1 },
    { items: 2000, blocks: 1 },
    { items: 2800, blocks: 201 },
    { items: 3198, blocks: 400 },
  ]);
});

describe('packs that are small', () => {
  /** Settles as many packs of one span each, and gives how many there are in the end. */
  function settlePacks(count: number, spanBytes: number): number {
    for (let number = 0; number < count; number += 1) {
      writer.append([frameOf(1, number, 'word '.repeat(spanBytes / 5))]);
      settleToTheEnd();
    }
    return Number(writer.database.prepare('SELECT count(*) AS count FROM pack').get()?.count);
  }
  const SHARE = 1 / 32;
  beforeEach(() => {
    writer.close();
    writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk, memoryShare: SHARE });
  });

  it('become one where many fit into one go', () => {
    expect(settlePacks(SMALL_PACKS_MAX + 1, 1000)).toBeLessThan(SMALL_PACKS_MAX);
  });

  it('stay as they are where no two do, as of what is compressed to a fraction', () => {
    const packs = SMALL_PACKS_MAX + 1;
    expect(settlePacks(packs, SETTLE_BYTES_MAX * SHARE * 0.6)).toBe(packs);
    writer.close();
    expect(verifyStore(directory)).toMatchObject({ items: packs, packs, problems: [] });
  });
});

describe('a settlement that was not booked to its end', () => {
  /** Books the first of three traces, each of which is a step. */
  function bookFirst(): void {
    appendTraces([1000, 1000, 1000]);
    const settlement = settleAll();
    if (settlement === undefined) throw new Error('nothing is to be settled');
    const steps = writer.book.apply(settlement);
    for (let step = 0; step < 2; step += 1) expect(steps.next().done).toBe(false);
  }
  /** Of a trace that was not booked. */
  function eraseAndSettle(): void {
    const traces = [['default', traceIdOf(2)] as const];
    expect(writer.control({ type: 'erase', traces, isUrgent: true })).toMatchObject({ items: 1000 });
    settleToTheEnd();
    expect(filesWith(directory, 'span 2 ')).toEqual([]);
    for (const number of [0, 1]) expect(filesWith(directory, `span ${number} `)).toHaveLength(1);
    writer.close();
    expect(verifyStore(directory)).toMatchObject({ items: 2000, problems: [] });
  }

  it('leaves nothing in its pack of what is deleted after the next start', () => {
    bookFirst();
    writer.close();
    writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
    eraseAndSettle();
  });

  it('leaves nothing in its pack of what is deleted after it has failed', () => {
    bookFirst();
    settleToTheEnd();
    eraseAndSettle();
  });
});
