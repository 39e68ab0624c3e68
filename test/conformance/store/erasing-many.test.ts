import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@reenact/collector';
import { afterEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 * 1024;

describe('deleting many runs', () => {
  const testbed = new Testbed();
  afterEach(() => testbed.dispose());

  it('takes no more of the disk the more there are', async () => {
    const directory = await testbed.directory();
    const store = await openStore(directory, { keepsText: false });
    for (let first = 1; first <= 4000; first += 1000) {
      const spans = Array.from({ length: 1000 }, (_, index) =>
        makeSpan({ traceId: traceIdOf(first + index), spanId: spanIdOf(first + index) }),
      );
      await store.appendSpans(TENANT, sliceSpans(...spans), ['jaeger']);
    }
    await store.settle();
    const policy = { graceMs: 0, ordinaryMs: DAY_MS, specialMs: DAY_MS, bytesMax: Number.POSITIVE_INFINITY };
    expect(await store.expire(policy, Date.now() + 2 * DAY_MS)).toBe(4000);
    const logBytes = statSync(join(directory, 'index.sqlite-wal')).size;
    await store.close();
    expect(logBytes).toBeLessThan(1.5 * MEBIBYTE);
  });
});
