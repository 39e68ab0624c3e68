import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMPARISONS_OF_TENANT_MAX } from '../limits.ts';
import type { ComparisonAsk } from './comparison-calls.ts';
import { ComparisonThread } from './comparison-thread.ts';

const dataDirectory = mkdtempSync(join(tmpdir(), 'reenact-comparison-'));
afterAll(() => rmSync(dataDirectory, { recursive: true }));

const run = { traceId: 'a'.repeat(32), spanId: undefined, named: 'a'.repeat(32) };
const ask: ComparisonAsk = { tenant: 'default', left: run, right: run, exact: false };

/** On a busy machine a thread that finds no store takes seconds to say so. */
const PATIENT = { msMax: 600_000, idleMs: 1_000 };

describe('the thread that compares runs', () => {
  it('ends where a comparison takes too long, which says so, and not that a thread has ended', async () => {
    const comparisons = new ComparisonThread({ dataDirectory }, undefined, { msMax: 1, idleMs: 1_000 });
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'too-large' });
    await comparisons.stop();
  });

  it('refuses what comes on top of those that wait, to be asked again', async () => {
    const comparisons = new ComparisonThread({ dataDirectory }, undefined, PATIENT);
    const held = Array.from({ length: COMPARISONS_OF_TENANT_MAX }, () => comparisons.compare(ask));
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'store-busy', retryable: true });
    const ends = await Promise.allSettled(held);
    // There is no store in this folder: each was asked all the same.
    expect(ends.map(({ status }) => status)).toEqual(held.map(() => 'rejected'));
    await expect(comparisons.compare(ask)).rejects.toMatchObject({ code: 'store-failed' });
    await comparisons.stop();
  });

  it('has places for other tenants, whoever fills all of its own', async () => {
    const comparisons = new ComparisonThread({ dataDirectory }, undefined, PATIENT);
    const compare = (tenant: string) => comparisons.compare({ ...ask, tenant }).catch(({ code }) => code);
    const own = Array.from({ length: COMPARISONS_OF_TENANT_MAX }, () => compare('greedy'));
    expect(await compare('greedy')).toBe('store-busy');
    expect(await compare('other')).toBe('store-failed');
    expect(new Set(await Promise.all(own))).toEqual(new Set(['store-failed']));
    await comparisons.stop();
  });
});
