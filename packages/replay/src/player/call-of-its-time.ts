import type { Crossing } from '@reenact/trace-model';
import { TIMER_TOLERANCE_US } from '../limits.ts';

/** Calls that ask the same, and what time it is. */
export interface CallsInTime {
  /** In the order in which they were recorded. */
  readonly equal: readonly Crossing[];
  /** Those that have answered none yet. */
  readonly free: readonly Crossing[];
  /** Microseconds since the run began. */
  readonly nowUs: number;
  readonly startUs: (crossing: Crossing) => number;
}

/**
 * Which of equal calls one is that a timer makes now: the one of this time. A timer fires late on a busy machine and in virtual time it does not, so the next is
 * taken where it is nearer than the one before. Else it is the latest before that nobody got; undefined: there is none.
 */
export function callOfItsTime({ equal, free, nowUs, startUs }: CallsInTime): Crossing | undefined {
  const now = free.find((crossing) => Math.abs(startUs(crossing) - nowUs) <= TIMER_TOLERANCE_US);
  if (now !== undefined) return now;
  const next = free.find((crossing) => startUs(crossing) > nowUs);
  const before = equal.findLast((crossing) => startUs(crossing) <= nowUs);
  const isNearly = next !== undefined && before !== undefined && startUs(next) - nowUs < nowUs - startUs(before);
  return isNearly ? next : free.findLast((crossing) => startUs(crossing) < nowUs);
}
