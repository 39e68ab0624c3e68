import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { walkTracesProtobuf, writeExportRequest } from '@reenact/otlp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIndexForReading } from './index/open-index.ts';
import { openStore } from './log-store.ts';
import type { Store } from './store.ts';
import { ThreadReader } from './thread-reader.ts';

const MEGABYTE = 1024 * 1024;
const REQUESTS = 4;
const AROUND_BYTES = 3 * MEGABYTE;
const TRACE_ID = '07'.repeat(16);
const SPAN_BYTES = 64;

let directory: string;
let store: Store;

/** A small span in a resource of its own, around which there are megabytes that OTLP does not know. */
function requestOf(number: number) {
  const span = Buffer.concat([
    Buffer.from([0x0a, 16]),
    Buffer.from(TRACE_ID, 'hex'),
    Buffer.from([0x12, 8]),
    Buffer.alloc(8, number),
  ]);
  const length = [0x80 | (AROUND_BYTES & 0x7f), 0x80 | ((AROUND_BYTES >>> 7) & 0x7f)];
  const tag = [0xfa, 0x01, ...length, 0x80 | ((AROUND_BYTES >>> 14) & 0x7f), AROUND_BYTES >>> 21];
  const group = Buffer.concat([Buffer.from(tag), Buffer.alloc(AROUND_BYTES, number)]);
  const none = { bytes: new Uint8Array(0), schemaUrl: '' };
  const resource = { ...none, unknown: { group, request: new Uint8Array(0) } };
  const walked = walkTracesProtobuf(writeExportRequest([{ bytes: span, resource, scope: none }]));
  return walked.ok ? walked.spans : [];
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-around-'));
  store = await openStore(directory);
  for (let number = 1; number <= REQUESTS; number += 1) await store.appendSpans('t', requestOf(number), ['x']);
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

describe('what comes around resources counts', () => {
  it('where a request is put together for a destination', async () => {
    const batch = await store.peekQueue('x', 100, 4 * MEGABYTE);
    expect(batch?.entries).toHaveLength(1);
  });

  it('where a trace is read whole if it is small, and else piece by piece', async () => {
    const reader = new ThreadReader(store.threadAccess);
    expect(reader.readTrace('t', TRACE_ID, REQUESTS * SPAN_BYTES)).toBeUndefined();
    const references = await store.listSpans('t', TRACE_ID);
    expect(await store.readSpans(references, 4 * MEGABYTE)).toHaveLength(2);
    reader.rest();
  });

  it('where a trace is cut into blocks, of which each is made in memory as a whole', async () => {
    await store.settle();
    const database = openIndexForReading(directory);
    const blocks = database.prepare('SELECT raw_bytes AS bytes FROM block WHERE is_dead = 0').all();
    database.close();
    expect(blocks.length).toBeGreaterThan(0);
    for (const { bytes } of blocks) expect(Number(bytes)).toBeLessThan(9 * MEGABYTE);
    expect(await store.readTrace('t', TRACE_ID)).toHaveLength(REQUESTS);
  });
});
