import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { ComparisonAsk } from './comparison-calls.ts';
import { ComparisonThread } from './comparison-thread.ts';
import { COMPARISONS_HELD_MAX } from './limits.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'reenact-comparison-'));
afterAll(() => rmSync(dataDirectory, { recursive: true }));

const run = { traceId: 'a'.repeat(32), spanId: undefined, named: 'a'.repeat(32) };
const ask: ComparisonAsk = { tenant: 'default', left: run, right: run, exact: false };

describe('the thread that compares runs', () => {
  it('ends where a comparison takes too long, which says so, and not that a thread has ended', async () => {
    const comparisons = new ComparisonThread({ dataDirectory }, undefined, { msMax: 1, idleMs: 1_000 });
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'too-large' });
    await comparisons.stop();
  });

  it('refuses what comes on top of those that wait, to be asked again', async () => {
    const comparisons = new ComparisonThread({ dataDirectory }, undefined);
    const held = Array.from({ length: COMPARISONS_HELD_MAX }, () => comparisons.compare(ask));
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'store-busy', retryable: true });
    const ends = await Promise.allSettled(held);
    // There is no store in this folder: each was asked all the same.
    expect(ends.map(({ status }) => status)).toEqual(held.map(() => 'rejected'));
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'store-failed' });
    await comparisons.stop();
  });
});
