import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { settleHurriedly } from '../../testdata/settle-hurriedly.ts';
import { systemDisk } from '../files/disk.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { type BatchItem, encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { StoreWriter } from '../worker/store-writer.ts';
import { BatchSource } from './batch-source.ts';
import { packPath } from './pack-file.ts';
import { Settler } from './settler.ts';

const MEGABYTE = 1024 * 1024;

/** Where a pack says of its first record what it is: 0 a dictionary. */
const FIRST_TYPE_AT = 16 + 12;

/** What every trace begins with, as instructions and tool definitions are the same everywhere. */
const SHARED = Array.from({ length: 2000 }, (_, index) => `passage ${index * index} `).join('');

let directory: string;
let writer: StoreWriter;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-settler-'));
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
});
afterEach(() => {
  writer.close();
  rmSync(directory, { recursive: true });
});

/** One trace of a megabyte, in spans of 128 KiB. */
function appendTrace(number: number): void {
  const none = { format: 'protobuf', schemaUrl: '', bytes: new Uint8Array(0) } as const;
  const items = Array.from({ length: 8 }, (_, id): BatchItem => {
    const words = `${SHARED}${`${number} ${id} some words of a conversation `.repeat(8_000)}`;
    const bytes = Buffer.from(words).subarray(0, MEGABYTE / 8);
    const ids = {
      traceId: (number + 1).toString(16).padStart(32, '0'),
      spanId: (id + 1).toString(16).padStart(16, '0'),
    };
    return { id, signal: 0, ...ids, timeNs: 1n, rank: 4, format: 'protobuf', resource: 0, scope: 0, bytes };
  });
  writer.append([encodeBatch({ tenant: 'default', destinations: [], groups: [none], items }, 0, FRAME_HEADER_BYTES)]);
}

it('gives back what it read, put together, compressed and inflated as it goes: what is settled in one go would be held several times', () => {
  for (let number = 0; number < 24; number += 1) appendTrace(number);
  const plan = writer.book.plan('everything', Date.now());
  if (plan === undefined) throw new Error('nothing is to be settled');
  const settler = new Settler(openIndexForReading(directory), systemDisk, directory);
  const before = process.memoryUsage().arrayBuffers;
  const { blocks } = settler.settle(plan);
  const held = process.memoryUsage().arrayBuffers - before;
  expect(blocks).toHaveLength(24);
  expect(held).toBeLessThan(8 * MEGABYTE);
});

/** Settles what is due, and gives the packs with the first record of each: a dictionary, or a block where it has none. */
function settleDue(): string[] {
  const database = openIndexForReading(directory);
  const settler = new Settler(database, systemDisk, directory);
  const packs: string[] = [];
  for (let plan = writer.book.plan('due', Date.now()); plan !== undefined; plan = writer.book.plan('due', Date.now())) {
    const steps = writer.book.apply(settler.settle(plan));
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    writer.book.release(step.value);
    packs.push(readFileSync(packPath(directory, plan.pack)).readUInt8(FIRST_TYPE_AT) === 0 ? 'dictionary' : 'block');
  }
  database.close();
  return packs;
}

/** Numbers of the blocks that items are in, and files of packs. */
function places(): { blocks: unknown[]; files: string[] } {
  const database = openIndexForReading(directory);
  const blocks = database.prepare('SELECT id, block FROM item ORDER BY id').all();
  database.close();
  return { blocks, files: readdirSync(join(directory, 'packs')) };
}

/** The last words of the first span of a trace, read from where it was settled; undefined where it is not. */
function lastWords(number: number): string | undefined {
  const database = openIndexForReading(directory);
  const source = new BatchSource(database, systemDisk, directory, MEGABYTE);
  const id = number * 8 + 1;
  const block = Number(database.prepare('SELECT block FROM item WHERE id = ?').get(id)?.block);
  const bytes = block === 0 ? undefined : source.open(id, block).byId.get(id)?.bytes;
  source.close();
  database.close();
  return bytes === undefined ? undefined : Buffer.from(bytes).toString().slice(-40);
}

it('is in a hurry while more of the log waits than it should, and no longer', () => {
  writer.close();
  const sizes = { segmentBytes: 5 * MEGABYTE, firstBytes: MEGABYTE };
  const settleAt = { logBytes: 4 * MEGABYTE, hurryLogBytes: 12 * MEGABYTE };
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk, sizes, settleAt, memoryShare: 1 / 4 });
  for (let number = 0; number < 24; number += 1) appendTrace(number);
  expect(settleDue()).toEqual(['block', 'block', 'block', 'dictionary', 'dictionary']);
  expect([0, 12].map(lastWords)).toEqual([
    expect.stringContaining('0 0 some words of'),
    expect.stringContaining('12 0 some words of'),
  ]);
});

it('gives way wherever it is told to, and leaves nothing behind', () => {
  for (let number = 0; number < 6; number += 1) appendTrace(number);
  writer.close();
  settleHurriedly(directory);
  writer = new StoreWriter({ dataDirectory: directory, disk: systemDisk });
  const before = places();
  const plan = writer.book.planAgain([]);
  if (plan === undefined) throw new Error('nothing was settled in a hurry');
  const database = openIndexForReading(directory);
  const settler = new Settler(database, systemDisk, directory);
  let isThrough = false;
  let asked = 0;
  for (; !isThrough; asked += 1) {
    let left = asked;
    isThrough = settler.settle(plan, () => left-- > 0) !== undefined;
    if (!isThrough) expect(places()).toEqual(before);
  }
  database.close();
  // Once before each block is read, looked up and written.
  expect(asked).toBeGreaterThan(3 * 6);
});
