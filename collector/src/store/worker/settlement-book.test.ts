import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemDisk } from '../disk.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { type BatchItem, encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { Settler } from '../pack/settler.ts';
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
  writer.append(spans.map(frameOf));
}

function frameOf(spans: number, number: number): Buffer {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const items = Array.from({ length: spans }, (_, id): BatchItem => {
    const bytes = Buffer.from(`span ${number} ${id}`);
    const traceId = (number + 1).toString(16).padStart(32, '0');
    const spanId = (id + 1).toString(16).padStart(16, '0');
    const facts = { traceId, spanId, timeNs: 1n, rank: 4, format: 'protobuf', resource: 0, scope: 0 } as const;
    return { id, signal: 0, ...facts, bytes };
  });
  return encodeBatch({ tenant: 'default', destinations: [], groups: [none], items }, 0, FRAME_HEADER_BYTES);
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
