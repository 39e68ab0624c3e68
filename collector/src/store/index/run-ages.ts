import type { RetentionAges } from '../store.ts';

/** How long runs stay. Times are counted from the last receipt of a span of the run. */
export interface RetentionTimes {
  /** Nothing younger is ever thinned. */
  readonly graceMs: number;
  /** Ordinary runs older than this go. */
  readonly ordinaryMs: number;
  /** Runs that failed, disagree with themselves or are kept go after this. */
  readonly specialMs: number;
}

/** In SQL, which rows of `trace` are due, and the times that its two places take. */
export interface DueByAge {
  readonly condition: string;
  readonly beforeMs: number;
  readonly specialBeforeMs: number;
}

/** What a run is, its summary says: until that is made of all there is, as behind an index that was made again, it may have failed. */
export const MAY_BE_SPECIAL = 'is_special <> 0 OR summary_revision <> revision';

/** In SQL, when a run was received by the clock as it is now. */
export function timeOf({ corrections, receivedAtLeastMs }: RetentionAges): string {
  const corrected = correctedTime(corrections);
  return receivedAtLeastMs === undefined ? corrected : `max(${corrected}, ${receivedAtLeastMs})`;
}

function correctedTime(corrections: RetentionAges['corrections']): string {
  if (corrections.length === 0) return 'received_ms';
  const cases = corrections.map(
    ({ fromMs, toMs, byMs }) => `WHEN received_ms BETWEEN ${fromMs} AND ${toMs} THEN ${byMs}`,
  );
  return `(received_ms + CASE ${cases.join(' ')} ELSE 0 END)`;
}

/** Of rows that were received before `beforeMs`, those that a policy lets go of by their age. */
export function dueByAge(ages: RetentionAges, { graceMs, ordinaryMs, specialMs }: RetentionTimes): DueByAge {
  return {
    condition: `kept IS NULL AND NOT (${MAY_BE_SPECIAL}) OR ${timeOf(ages)} < ?`,
    beforeMs: ages.nowMs - Math.max(graceMs, ordinaryMs),
    specialBeforeMs: ages.nowMs - Math.max(graceMs, specialMs),
  };
}
