import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { encodeTracesProtobuf, type SpanSlice, walkTracesProtobuf } from '@reenact/otlp';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { indexLogBytes } from './index/open-index.ts';
import { INDEX_LOG_BYTES_BUSY, INDEX_LOG_BYTES_MAX } from './limits.ts';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';

const REQUESTS = 500;
const SPANS_PER_REQUEST = 100;

let directory: string;
let store: Store;
beforeEach(async () => {
  // Nothing settles but what is asked for.
  vi.useFakeTimers({ toFake: ['setInterval'] });
  directory = mkdtempSync(join(tmpdir(), 'reenact-index-log-'));
  store = await openStore(directory, { memoryShare: 1 / 4 });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
  vi.useRealTimers();
});

/** Ids spread over the whole key space, as real ones are, so that each request changes pages all over the index. */
const idOf = (text: string, digits: number) => createHash('sha256').update(text).digest('hex').slice(0, digits);

function requestOf(number: number): readonly SpanSlice[] {
  const spans = Array.from({ length: SPANS_PER_REQUEST }, (_, index) => ({
    traceId: idOf(`trace ${number}`, 32),
    spanId: idOf(`span ${number} ${index}`, 16),
    name: 'span '.repeat(50),
    startTimeUnixNano: '1',
    endTimeUnixNano: '2',
  }));
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  return walked.spans;
}

it('the log of the index is begun anew between settlements, and not only behind the last of them', async () => {
  for (let number = 0; number < REQUESTS; number += 1) await store.appendSpans('default', requestOf(number), []);
  const before = indexLogBytes(directory);
  expect(before).toBeGreaterThan(INDEX_LOG_BYTES_BUSY);
  let isSettling = true;
  const settled = store.settle().finally(() => {
    isSettling = false;
  });
  const sizes = new Set<number>();
  while (isSettling) {
    sizes.add(indexLogBytes(directory));
    await setImmediate();
  }
  await settled;
  // Begun anew it has so many bytes, and behind the last settlement none.
  expect([...sizes].filter((bytes) => bytes < before && bytes >= INDEX_LOG_BYTES_MAX)).not.toEqual([]);
  expect((await store.stats()).unsettledBytes).toBe(0);
});
