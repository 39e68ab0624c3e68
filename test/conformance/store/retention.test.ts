import { openStore, type RetentionPolicy, type Store } from '@reenact/collector';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSpan, spanIdOf, Testbed, traceIdOf } from '../testbed.ts';
import { plainRun } from './plain-run.ts';
import { sliceSpans } from './slices.ts';

const TENANT = 'default';
const DAY_MS = 86_400_000;
const POLICY: RetentionPolicy = {
  graceMs: 7 * DAY_MS,
  ordinaryMs: 30 * DAY_MS,
  specialMs: 365 * DAY_MS,
  bytesMax: Number.POSITIVE_INFINITY,
};

const testbed = new Testbed();
let store: Store;
beforeEach(async () => {
  store = await openStore(await testbed.directory());
});
afterEach(async () => {
  await store.close();
  await testbed.dispose();
});

async function addRun(number: number, status: RunSummary['status'] = 'ok', name = 'x'): Promise<void> {
  const traceId = traceIdOf(number);
  await store.appendSpans(TENANT, sliceSpans(makeSpan({ traceId, spanId: spanIdOf(number), name })), ['jaeger']);
  const stale = (await store.staleTraces(100)).find((trace) => trace.traceId === traceId);
  if (stale === undefined) expect.fail('a new trace is not stale');
  await store.writeSummaries([{ trace: stale, run: plainRun(number, { status }) }]);
}

async function present(...numbers: number[]): Promise<number[]> {
  const found = await Promise.all(numbers.map((number) => store.readTrace(TENANT, traceIdOf(number))));
  return numbers.filter((_, index) => (found[index]?.length ?? 0) > 0);
}

/** What the directory takes once everything is given back that costs no run. */
async function leastBytes(): Promise<number> {
  expect(await store.expire({ ...POLICY, bytesMax: 0 }, Date.now())).toBe(0);
  return (await store.stats()).bytes;
}

describe('retention', () => {
  it('thins nothing within the grace window, whatever else the policy says', async () => {
    await addRun(1);
    const strict = { ...POLICY, ordinaryMs: 0, specialMs: 0, bytesMax: 0 };
    expect(await store.expire(strict, Date.now() + 6.9 * DAY_MS)).toBe(0);
    expect(await present(1)).toEqual([1]);
  });

  it('lets ordinary runs go by age and keeps those that failed or are kept longer', async () => {
    await addRun(1);
    await addRun(2, 'error');
    await addRun(3);
    await store.keepRun(TENANT, traceIdOf(3), 'incident 7');
    await store.settle();
    expect(await store.expire(POLICY, Date.now() + 29 * DAY_MS)).toBe(0);
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(1);
    expect(await present(1, 2, 3)).toEqual([2, 3]);
    expect((await store.queueDepths()).get('jaeger')).toBe(2);
    expect(await store.expire(POLICY, Date.now() + 366 * DAY_MS)).toBe(2);
    expect(await store.stats()).toMatchObject({ spans: 0, traces: 0 });
  });

  it('lets a run go once it is older than its time, and not when it is as old', async () => {
    const time = { ok: POLICY.ordinaryMs, error: POLICY.specialMs };
    for (const [index, status] of (['ok', 'error'] as const).entries()) {
      await addRun(index + 1, status);
      const { lastReceiptMs } = await store.stats();
      if (lastReceiptMs === undefined) expect.fail('nothing was received');
      expect(await store.expire(POLICY, lastReceiptMs + time[status])).toBe(0);
      expect(await store.expire(POLICY, lastReceiptMs + time[status] + 1)).toBe(1);
    }
  });

  it('takes no run for an ordinary one before it is summarised, as behind an index that was made again', async () => {
    const span = { traceId: traceIdOf(1), spanId: spanIdOf(1), name: 'x' };
    await store.appendSpans(TENANT, sliceSpans(makeSpan(span)), []);
    await addRun(2);
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(1);
    expect(await present(1, 2)).toEqual([1]);
    const [stale] = await store.staleTraces(100);
    if (stale === undefined) expect.fail('the run is not stale');
    await store.writeSummaries([{ trace: stale, run: plainRun(1, { status: 'ok' }) }]);
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(1);
  });

  it('keeps a run that failed in a span which came after its summary', async () => {
    await addRun(1);
    const late = { traceId: traceIdOf(1), spanId: spanIdOf(7), name: 'failed' };
    await store.appendSpans(TENANT, sliceSpans(makeSpan(late)), []);
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(0);
    expect(await present(1)).toEqual([1]);
  });

  it('lets go of a run that is no longer kept', async () => {
    await addRun(1);
    await store.keepRun(TENANT, traceIdOf(1), 'for now');
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(0);
    await store.keepRun(TENANT, traceIdOf(1), undefined);
    expect(await store.expire(POLICY, Date.now() + 31 * DAY_MS)).toBe(1);
  });
});

describe('retention by size', () => {
  it('gives up no more for a size than it has to, and kept runs last', async () => {
    const noise = () => Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
    await addRun(1, 'error', noise());
    for (const ordinary of [2, 3, 4]) await addRun(ordinary, 'ok', noise());
    await store.keepRun(TENANT, traceIdOf(2), 'incident 7');
    await store.settle();
    const policy = { ...POLICY, ordinaryMs: 300 * DAY_MS };
    const late = Date.now() + 8 * DAY_MS;
    const gone: unknown[] = [];
    const onKeptGone = (run: unknown) => gone.push(run);
    const smaller = async () => ({ ...policy, onKeptGone, bytesMax: (await leastBytes()) - 100_000 });
    expect(await store.expire(await smaller(), late)).toBe(1);
    expect(await present(1, 2, 3, 4)).toEqual([1, 2, 4]);
    for (const left of [[1, 2], [2], []]) {
      expect(await store.expire(await smaller(), late)).toBe(1);
      expect(gone).toHaveLength(left.length === 0 ? 1 : 0);
      expect(await present(1, 2, 3, 4)).toEqual(left);
    }
    expect(gone).toEqual([{ tenant: TENANT, traceId: traceIdOf(2), reason: 'incident 7' }]);
  });

  it('gives up nothing of a store that is exactly as large as it may be', async () => {
    for (const number of [1, 2, 3]) await addRun(number);
    await store.settle();
    await leastBytes();
    const bytesMax = await leastBytes();
    const late = Date.now() + 8 * DAY_MS;
    expect(await store.expire({ ...POLICY, bytesMax }, late)).toBe(0);
    expect(await store.expire({ ...POLICY, bytesMax: bytesMax - 1 }, late)).toBeGreaterThan(0);
  });

  it('gives up no run for a size that settling alone keeps to', async () => {
    for (let number = 1; number <= 8; number += 1) await addRun(number, 'ok', `${number}`.repeat(1_000_000));
    const { bytes } = await store.stats();
    const late = Date.now() + 8 * DAY_MS;
    const policy = { ...POLICY, ordinaryMs: 300 * DAY_MS, bytesMax: bytes - 4_000_000 };
    expect(await store.expire(policy, late)).toBe(0);
    expect((await store.stats()).bytes).toBeLessThanOrEqual(policy.bytesMax);
  });

  it('gives up no run for room that the log keeps to be written again', async () => {
    for (let number = 1; number <= 8; number += 1) await addRun(number, 'ok', `${number}`.repeat(1_000_000));
    await store.settle();
    // The log goes on in a file that was settled, which is as long as it was.
    await addRun(9);
    await store.settle();
    const policy = { ...POLICY, ordinaryMs: 300 * DAY_MS, bytesMax: 4_000_000 };
    expect(await store.expire(policy, Date.now() + 8 * DAY_MS)).toBe(0);
    expect((await store.stats()).bytes).toBeLessThanOrEqual(policy.bytesMax);
    await addRun(10);
    expect(await present(1, 9, 10)).toEqual([1, 9, 10]);
  });

  it('stays below a size by giving up the oldest ordinary runs first, and gives the space back', async () => {
    const noise = () => Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
    await addRun(1, 'error', noise());
    await addRun(2, 'ok', noise());
    await addRun(3, 'ok', noise());
    await store.settle();
    const bytesMax = (await leastBytes()) - 100_000;
    expect(
      await store.expire({ ...POLICY, ordinaryMs: 300 * DAY_MS, bytesMax }, Date.now() + 8 * DAY_MS),
    ).toBeGreaterThan(0);
    expect((await store.stats()).bytes).toBeLessThanOrEqual(bytesMax);
  });
});
