import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { encodeLogsProtobuf, encodeTracesProtobuf, walkLogsProtobuf, walkTracesProtobuf } from '@reenact/otlp';
import { ReenactError } from '@reenact/trace-model';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unreadableRun } from '../query/summaries/run-summary.ts';
import { INDEX_FILE } from '../store/database/schema.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { previewRetention } from './preview-retention.ts';
import { RetentionClock } from './retention-clock.ts';
import { retentionPolicyOf } from './retention-schedule.ts';
import { writeRetentionTime } from './retention-time-file.ts';

const TENANT = 'default';
const DAY_MS = 86_400_000;
const RUNS = 40;
const FAILED = [3, 21, 39];
const KEPT = [5, 22];

let directory: string;
let store: Store;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reenact-preview-'));
  store = await openStore(directory);
  await fill();
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true, force: true });
});

const traceIdOf = (run: number) => `a${run.toString(16).padStart(31, '0')}`;

function noise(run: number): string {
  let state = run + 1;
  return Array.from({ length: 30_000 }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return (state % 36).toString(36);
  }).join('');
}

async function append(run: number, tenant = TENANT): Promise<void> {
  const time = { startTimeUnixNano: '1763700000000000001', endTimeUnixNano: '1763700001000000002' };
  const span = { traceId: traceIdOf(run), spanId: `b${run.toString(16).padStart(15, '0')}`, name: noise(run), ...time };
  const walked = walkTracesProtobuf(encodeTracesProtobuf({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendSpans(tenant, walked.spans, []);
}

/** One run a day, the newest today, some of which failed or are kept, and log records without a run that came yesterday. */
async function fill(): Promise<void> {
  for (let run = 0; run < RUNS; run += 1) await append(run);
  const body = { stringValue: 'said by nobody' };
  const walked = walkLogsProtobuf(encodeLogsProtobuf({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body }] }] }] }));
  if (!walked.ok) expect.fail(walked.problem.message);
  await store.appendLogs(TENANT, walked.records, []);
  const stale = await store.staleTraces(100);
  const summaries = stale.map((trace) => {
    const { summary, ...run } = unreadableRun(trace.traceId, '', 1, new ReenactError('internal', 'not the matter'));
    const isFailed = FAILED.map(traceIdOf).includes(trace.traceId);
    return { trace, run: { ...run, summary: { ...summary, status: isFailed ? ('error' as const) : ('ok' as const) } } };
  });
  await store.writeSummaries(summaries);
  for (const run of KEPT) await store.keepRun(TENANT, traceIdOf(run), `incident ${run}`);
  await store.settle();
  const index = new DatabaseSync(join(directory, INDEX_FILE), { timeout: 10_000 });
  index.exec(
    `UPDATE trace SET received_ms = received_ms - (CASE length(trace_id) WHEN 16 THEN id - 1 ELSE 1 END) * ${DAY_MS}`,
  );
  index.close();
  const clock = new RetentionClock({ last: undefined, graceMs: 0, onLeap: () => undefined });
  writeRetentionTime(directory, clock.lastTime);
}

async function presentRuns(): Promise<number[]> {
  const found = await Promise.all(Array.from({ length: RUNS }, (_, run) => store.listSpans(TENANT, traceIdOf(run))));
  return found.flatMap((spans, run) => (spans.length === 0 ? [] : [run]));
}

it.each([
  ['the defaults', { graceDays: 7, ordinaryDays: 30, specialDays: 365 }],
  ['a time for those that failed, too', { graceDays: 1.5, ordinaryDays: 10, specialDays: 20.5 }],
  ['a grace window that is longer than both', { graceDays: 12.5, ordinaryDays: 1, specialDays: 2 }],
  ['all', { graceDays: 0, ordinaryDays: 0, specialDays: 0 }],
])('says by age just what then goes, and changes nothing: %s', async (_, retention) => {
  const { byAge, bySize, excessBytes, named, storedRuns } = await previewRetention(store, retention);
  expect(await presentRuns()).toHaveLength(RUNS);
  const policy = retentionPolicyOf(retention);
  const gone = await store.expire(policy, Date.now());
  const stays = await presentRuns();
  const went = Array.from({ length: RUNS }, (_row, run) => run).filter((run) => !stays.includes(run));
  expect(byAge).toMatchObject({
    runs: went.length,
    logDays: gone - went.length,
    failedRuns: went.filter((run) => FAILED.includes(run)).length,
    keptRuns: went.filter((run) => KEPT.includes(run)).length,
  });
  const kept = went.filter((run) => KEPT.includes(run)).reverse();
  const others = went.filter((run) => !KEPT.includes(run)).reverse();
  expect(named.map(({ traceId }) => traceId)).toEqual([...kept, ...others].slice(0, 20).map(traceIdOf));
  expect(named.flatMap((run) => run.kept ?? [])).toEqual(kept.map((run) => `incident ${run}`));
  expect([bySize.runs, excessBytes, storedRuns]).toEqual([0, 0, RUNS]);
});

it('says about how many go for a size, those that failed and then kept ones last, and whether that is enough', async () => {
  const ages = { graceDays: 7, ordinaryDays: 365, specialDays: 365 };
  const { bytes } = await store.stats();
  const passes = [];
  for (const part of [0.6, 0.3, 0.05]) {
    const retention = { ...ages, bytesMax: Math.round(bytes * part) };
    const { byAge, bySize, excessBytes } = await previewRetention(store, retention);
    let excess = 0;
    const onExcess = (overBytes: number) => {
      excess = overBytes;
    };
    const gone = await store.expire({ ...retentionPolicyOf(retention), onExcess }, Date.now());
    expect(byAge.runs).toBe(0);
    expect(excessBytes > 0).toBe(excess > 0);
    passes.push({ ...bySize, gone });
  }
  const [roomy, tight, tiny] = passes;
  // What the log keeps to be written again is given back first.
  expect(roomy).toMatchObject({ runs: 0, gone: 0 });
  expect(tight).toMatchObject({ failedRuns: 0, keptRuns: 0, logDays: 0 });
  expect(tight?.runs).toBeGreaterThan((tight?.gone ?? 0) / 2);
  expect(tight?.runs).toBeLessThan((tight?.gone ?? 0) * 2);
  expect(tiny).toMatchObject({ runs: tiny?.gone, failedRuns: 2, keptRuns: 1 });
});

it('says whose runs go by age', async () => {
  for (const run of [1, 2]) await append(run, 'other');
  const { byAge, byAgeOf } = await previewRetention(store, { graceDays: 0, ordinaryDays: 0, specialDays: 0 });
  expect(byAge.runs).toBe(RUNS + 2);
  expect(byAgeOf).toEqual([
    { tenant: TENANT, runs: RUNS },
    { tenant: 'other', runs: 2 },
  ]);
});
