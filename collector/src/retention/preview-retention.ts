import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { CollectorConfig } from '../config.ts';
import { PREVIEW_ROWS_PER_STEP, PREVIEW_RUNS_NAMED_MAX } from '../limits.ts';
import { openIndexForReading } from '../store/index/open-index.ts';
import { dueByAge, MAY_BE_SPECIAL, timeOf } from '../store/index/run-ages.ts';
import { logDirectoryOf } from '../store/log/segment-files.ts';
import { packShareOf } from '../store/retention.ts';
import type { RetentionAges, Store } from '../store/store.ts';
import { directoryBytes } from '../store/store-reader.ts';
import { RetentionClock, timeFromLost } from './retention-clock.ts';
import { retentionPolicyOf } from './retention-schedule.ts';
import { readRetentionTime } from './retention-time-file.ts';

/** Some of what is stored. */
export interface GoingRuns {
  readonly runs: number;
  /** Those of them that failed or contradict themselves, or may have as far as is known. */
  readonly failedRuns: number;
  /** Those of them that somebody wanted to be kept. */
  readonly keptRuns: number;
  /** Days of log records that name no trace. */
  readonly logDays: number;
  /** What they have in packs, compressed. */
  readonly packedBytes: number;
}

/** A run that would go, and when the last of it was received. */
export interface GoingRun {
  readonly tenant: string;
  readonly traceId: string;
  readonly receivedMs: number;
  readonly kept?: string;
}

/** How many runs of a tenant would go. */
export interface GoingOfTenant {
  readonly tenant: string;
  readonly runs: number;
}

/** What retention would let go of if it ran now. */
export interface RetentionPreview {
  /** The settings that were asked about. */
  readonly retention: CollectorConfig['retention'];
  readonly storedRuns: number;
  readonly storedBytes: number;
  readonly byAge: GoingRuns;
  /** Whose runs go by age, most first, of as many tenants as runs are named; none by a collector of before December 2026. */
  readonly byAgeOf?: readonly GoingOfTenant[];
  /**
   * Beyond these; about: how much smaller the files become is known once they are written again, and mostly a few in a hundred runs more go. What has not
   * settled counts as it was sent.
   */
  readonly bySize: GoingRuns;
  /** About how many bytes more than `bytesMax` would stay, within the grace window. */
  readonly excessBytes: number;
  /** Some of those that go by age: kept ones first, then the oldest. */
  readonly named: readonly GoingRun[];
}

interface Row extends GoingRun {
  readonly isDue: boolean;
  readonly isFailed: boolean;
  readonly isLogDay: boolean;
  readonly bytes: number;
}

const NOTHING: GoingRuns = { runs: 0, failedRuns: 0, keptRuns: 0, logDays: 0, packedBytes: 0 };
const HOUR_MS = 3_600_000;

/** By the clock that retention itself goes by, which is not always the system's. */
async function readAges(store: Store, graceMs: number): Promise<RetentionAges> {
  const { lastExpireMs, lastReceiptMs } = await store.stats();
  const lastMs = lastExpireMs ?? lastReceiptMs;
  const unknown = lastMs === undefined ? undefined : timeFromLost(lastMs);
  const last = readRetentionTime(store.threadAccess.dataDirectory)?.time ?? unknown;
  const clock = new RetentionClock({ last, graceMs, onLeap: () => undefined });
  clock.nowMs();
  return clock.ages;
}

function add(sum: GoingRuns, row: Row): GoingRuns {
  const packedBytes = sum.packedBytes + row.bytes;
  if (row.isLogDay) return { ...sum, logDays: sum.logDays + 1, packedBytes };
  const keptRuns = sum.keptRuns + (row.kept === undefined ? 0 : 1);
  const failedRuns = sum.failedRuns + (row.kept === undefined && row.isFailed ? 1 : 0);
  return { ...sum, runs: sum.runs + 1, failedRuns, keptRuns, packedBytes };
}

/** In the order in which runs are given up for space, hour by hour: a store has too many to sort one by one beside its work. */
function placeOf({ kept, isFailed, receivedMs }: Row): number {
  const hours = Math.floor(receivedMs / HOUR_MS);
  return ((kept === undefined ? 0 : 2) + (isFailed ? 1 : 0)) * 2 ** 40 + hours;
}

/** A part of what goes or stays together. */
function shareOf({ runs, failedRuns, keptRuns, logDays, packedBytes }: GoingRuns, share: number): GoingRuns {
  return {
    runs: Math.ceil(runs * share),
    failedRuns: Math.ceil(failedRuns * share),
    keptRuns: Math.ceil(keptRuns * share),
    logDays: Math.ceil(logDays * share),
    packedBytes: Math.ceil(packedBytes * share),
  };
}

function sumOf(one: GoingRuns, other: GoingRuns): GoingRuns {
  return {
    runs: one.runs + other.runs,
    failedRuns: one.failedRuns + other.failedRuns,
    keptRuns: one.keptRuns + other.keptRuns,
    logDays: one.logDays + other.logDays,
    packedBytes: one.packedBytes + other.packedBytes,
  };
}

/** The rows that are beyond the grace window, a step at a time, between which requests are received. */
async function* readRows(
  database: DatabaseSync,
  ages: RetentionAges,
  { graceMs, ...times }: ReturnType<typeof retentionPolicyOf>,
): AsyncGenerator<Row> {
  const { condition, beforeMs, specialBeforeMs } = dueByAge(ages, { graceMs, ...times });
  const select = database.prepare(`
    SELECT tenant, lower(hex(trace_id)) AS traceId, kept, ${timeOf(ages)} AS receivedMs, (${MAY_BE_SPECIAL}) AS isFailed,
      (${timeOf(ages)} < ? AND (${condition})) AS isDue, length(trace_id) < 16 AS isLogDay,
      (SELECT total(bytes) FROM block WHERE trace = trace.id) AS bytes
    FROM trace WHERE id > ? AND id <= ? AND ${timeOf(ages)} < ?`);
  const last = Number(database.prepare('SELECT max(id) AS id FROM trace').get()?.id ?? 0);
  for (let id = 0; id < last; id += PREVIEW_ROWS_PER_STEP) {
    for (const row of select.all(beforeMs, specialBeforeMs, id, id + PREVIEW_ROWS_PER_STEP, ages.nowMs - graceMs)) {
      const { tenant, traceId, kept, receivedMs, isFailed, isDue, isLogDay, bytes } = row;
      yield {
        ...{ tenant: String(tenant), traceId: String(traceId), receivedMs: Number(receivedMs), bytes: Number(bytes) },
        ...{ isFailed: isFailed === 1, isDue: isDue === 1, isLogDay: isLogDay === 1 },
        ...(typeof kept === 'string' ? { kept } : {}),
      };
    }
    await setImmediate();
  }
}

/** The first of what may go until so many bytes are found, and how many are not. */
function giveUp(places: ReadonlyMap<number, GoingRuns>, bytes: number): readonly [going: GoingRuns, missing: number] {
  let going = NOTHING;
  let left = bytes;
  for (const [, sum] of [...places].sort(([one], [other]) => one - other)) {
    if (left <= 0) break;
    going = sumOf(going, shareOf(sum, Math.min(1, left / Math.max(1, sum.packedBytes))));
    left -= sum.packedBytes;
  }
  return [going, Math.max(0, left)];
}

/** Says what retention would let go of by these settings if it ran now. Changes nothing. */
export async function previewRetention(
  store: Store,
  retention: CollectorConfig['retention'],
): Promise<RetentionPreview> {
  const policy = retentionPolicyOf(retention);
  const ages = await readAges(store, policy.graceMs);
  const { dataDirectory, memoryShare } = store.threadAccess;
  const { traces: storedRuns, bytes: storedBytes, unsettledBytes } = await store.stats();
  const places = new Map<number, GoingRuns>();
  let byAge = NOTHING;
  let named: readonly GoingRun[] = [];
  const tenants = new Map<string, number>();
  const database = openIndexForReading(dataDirectory, memoryShare);
  try {
    for await (const row of readRows(database, ages, policy)) {
      if (!row.isDue) places.set(placeOf(row), add(places.get(placeOf(row)) ?? NOTHING, row));
      else {
        byAge = add(byAge, row);
        if (row.isLogDay) continue;
        named = nameOne(named, row);
        tenants.set(row.tenant, (tenants.get(row.tenant) ?? 0) + 1);
      }
    }
  } finally {
    database.close();
  }
  // What the log keeps to be written again is given back before a run goes.
  const neededBytes = storedBytes - directoryBytes(logDirectoryOf(dataDirectory)) + unsettledBytes;
  const share = packShareOf(dataDirectory) || 1;
  const [bySize, missing] = giveUp(places, (neededBytes - policy.bytesMax) * share - byAge.packedBytes);
  const excessBytes = Math.round(missing / share);
  return { retention, storedRuns, storedBytes, byAge, byAgeOf: mostOf(tenants), bySize, excessBytes, named };
}

function mostOf(tenants: ReadonlyMap<string, number>): readonly GoingOfTenant[] {
  const counted = Array.from(tenants, ([tenant, runs]) => ({ tenant, runs }));
  return counted.sort((one, other) => other.runs - one.runs).slice(0, PREVIEW_RUNS_NAMED_MAX);
}

function nameOne(named: readonly GoingRun[], { tenant, traceId, receivedMs, kept }: Row): readonly GoingRun[] {
  const last = named[PREVIEW_RUNS_NAMED_MAX - 1];
  const run = { tenant, traceId, receivedMs, ...(kept === undefined ? {} : { kept }) };
  if (last !== undefined && compare(run, last) >= 0) return named;
  return [...named, run].sort(compare).slice(0, PREVIEW_RUNS_NAMED_MAX);
}

function compare(one: GoingRun, other: GoingRun): number {
  const isOtherFirst = (run: GoingRun) => (run.kept === undefined ? 1 : 0);
  return isOtherFirst(one) - isOtherFirst(other) || one.receivedMs - other.receivedMs;
}
