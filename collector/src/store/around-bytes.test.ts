import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WritableItem, walkTracesProtobuf, writeExportRequest } from '@reenact/otlp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openIndexForReading } from './index/open-index.ts';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';
import { ThreadReader } from './thread-reader.ts';

type Group = WritableItem['resource'];

const MEGABYTE = 1024 * 1024;
const ANSWER_BYTES = 4 * MEGABYTE;
const REQUEST_BYTES = 3 * MEGABYTE;
const SPANS = 30;
const TRACE_ID = '07'.repeat(16);
const NONE: Group = { bytes: new Uint8Array(0), schemaUrl: '' };

const fillResource = (bytes: number, mark: number): Group => ({ ...NONE, bytes: field(9, Buffer.alloc(bytes, mark)) });

/** Three ways to be large around a span. */
const LARGE: Readonly<Record<string, typeof fillResource>> = {
  resource: fillResource,
  'schema URL': (bytes, mark) => ({ ...NONE, schemaUrl: String.fromCharCode(64 + mark).repeat(bytes) }),
  'unknown field': (bytes, mark) => ({
    ...NONE,
    unknown: { group: field(31, Buffer.alloc(bytes, mark)), request: new Uint8Array(0) },
  }),
};

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-around-'));
  store = await openStore(directory);
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

function spanIn(resource: Group, number: number, { scope = NONE, nameBytes = 1, startNs = 1 } = {}): WritableItem {
  const ids = [field(1, Buffer.from(TRACE_ID, 'hex')), field(2, Buffer.alloc(8, number))];
  const start = Buffer.from([(7 << 3) | 1, startNs, ...Buffer.alloc(7)]);
  return { bytes: Buffer.concat([...ids, field(5, Buffer.alloc(nameBytes, 'n')), start]), resource, scope };
}

async function append(items: readonly WritableItem[]): Promise<void> {
  const walked = walkTracesProtobuf(writeExportRequest(items));
  if (!walked.ok) throw new Error('The request is not one.');
  await store.appendSpans('t', walked.spans, ['x']);
}

const upTo = <Made>(count: number, make: (number: number) => Made) =>
  Array.from({ length: count }, (_, index) => make(index + 1));

const forwarded = async (bytesLimit?: number) =>
  (await store.peekQueue('x', 512, REQUEST_BYTES, bytesLimit))?.entries.length;
const answered = async (bytesMax = ANSWER_BYTES) =>
  (await store.readSpans(await store.listSpans('t', TRACE_ID), bytesMax)).length;

/** The bytes of each block of the store once all is settled. */
async function settledBlocks(): Promise<number[]> {
  await store.settle();
  const database = openIndexForReading(directory);
  const blocks = database.prepare('SELECT raw_bytes AS bytes FROM block WHERE is_dead = 0').all();
  database.close();
  return blocks.map(({ bytes }) => Number(bytes));
}

describe.each(Object.entries(LARGE))('a large %s', (_, large) => {
  it('is counted: spans in many of them are cut into blocks, requests and pieces of an answer', async () => {
    for (let number = 1; number <= 4; number += 1) await append([spanIn(large(3 * MEGABYTE, number), number)]);
    const reader = new ThreadReader(store.threadAccess);
    expect(reader.readTrace('t', TRACE_ID, 4 * 64)).toBeUndefined();
    reader.rest();
    expect([await forwarded(), await answered(MEGABYTE / 4)]).toEqual([1, 2]);
    const blocks = await settledBlocks();
    expect(blocks).toHaveLength(2);
    expect(Math.max(...blocks)).toBeLessThan(8 * MEGABYTE);
    expect(await store.readTrace('t', TRACE_ID)).toHaveLength(4);
  });

  it('is in one block, one request and one piece with all spans in it, which cutting would not make smaller', async () => {
    const resource = large(9 * MEGABYTE, 1);
    await append(upTo(SPANS, (number) => spanIn(resource, number)));
    expect([await forwarded(), await answered()]).toEqual([SPANS, SPANS]);
    expect(await settledBlocks()).toHaveLength(1);
    expect(await store.readTrace('t', TRACE_ID)).toHaveLength(SPANS);
  });
});

describe('a large resource of many items', () => {
  it('is not brought again by each small scope in it', async () => {
    const resource = fillResource(9 * MEGABYTE, 1);
    await append(upTo(SPANS, (number) => spanIn(resource, number, { scope: fillResource(1024, number) })));
    expect([await forwarded(), await answered()]).toEqual([SPANS, SPANS]);
    expect(await settledBlocks()).toHaveLength(1);
  });

  it('is in one piece of an answer with the spans of others that start in turn with its own', async () => {
    for (const odd of [0, 1]) {
      const resource = fillResource(3 * MEGABYTE, 1 + odd);
      await append(upTo(SPANS / 2, (turn) => spanIn(resource, 2 * turn + odd, { startNs: 2 * turn + odd })));
    }
    expect(await answered()).toBe(SPANS);
  });

  it('comes again in each request that a destination would else not take, unless that takes none of them', async () => {
    const resource = fillResource(3.5 * MEGABYTE, 1);
    await append(upTo(SPANS, (number) => spanIn(resource, number, { nameBytes: 0.2 * MEGABYTE })));
    expect(await forwarded()).toBe(18);
    expect(await forwarded(4 * MEGABYTE)).toBe(2);
    expect(await forwarded(3.6 * MEGABYTE)).toBe(18);
  });

  it('comes again where spans are cut, for no more than twice the bytes', async () => {
    const resource = fillResource(2 * MEGABYTE, 1);
    await append(upTo(SPANS, (number) => spanIn(resource, number, { nameBytes: 0.9 * MEGABYTE })));
    expect([await forwarded(), await answered()]).toEqual([3, 4]);
    const blocks = await settledBlocks();
    expect(Math.max(...blocks)).toBeLessThan(8.1 * MEGABYTE);
    expect(blocks.reduce((sum, bytes) => sum + bytes)).toBeLessThan((SPANS + 2) * 2 * MEGABYTE);
  });
});
