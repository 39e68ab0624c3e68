import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemDisk } from '../disk.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { type BatchItem, encodeBatch } from '../log/batch.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import { StoreWriter } from '../worker/store-writer.ts';
import { Settler } from './settler.ts';

const MEGABYTE = 1024 * 1024;

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
    const bytes = Buffer.from(`${number} ${id} some words of a conversation `.repeat(8_000)).subarray(0, MEGABYTE / 8);
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
