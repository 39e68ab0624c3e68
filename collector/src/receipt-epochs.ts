import { CLOCK_LEAP_MS } from './limits.ts';
import type { ReceiptCorrection } from './store/store.ts';

/** A time in which the system's clock was set by nobody, as that clock had it. */
export interface ReceiptEpoch {
  readonly fromMs: number;
  readonly toMs: number;
  /** By how much the clock was set since, on less back: what it said then is behind today's by so much. */
  readonly byMs: number;
  /** Of a leap ahead over which nobody knows how much time passed: a downtime, or a clock that was set. */
  readonly maybeMs: number;
}

/** More of them are one, which makes nothing older. */
const EPOCHS_MAX = 100;

/** An epoch that ends, and the leap that ends it. */
export interface EpochEnd {
  readonly fromMs: number;
  readonly toMs: number;
  readonly aheadMs: number;
  /** Whether it is known how much time passed meanwhile. */
  readonly isKnown: boolean;
}

/** The epochs behind a leap: all of them are behind by it. */
export function endEpoch(
  epochs: readonly ReceiptEpoch[],
  { fromMs, toMs, aheadMs, isKnown }: EpochEnd,
): ReceiptEpoch[] {
  const ended = [...epochs];
  // What downtimes alone lie between is one epoch: a machine that is off every night has no more of them for it.
  const last = ended.at(-1)?.byMs === 0 ? ended.pop() : undefined;
  ended.push(unite({ fromMs, toMs, byMs: 0, maybeMs: 0 }, last));
  while (ended.length > EPOCHS_MAX) ended.splice(0, 2, unite(ended[0] as ReceiptEpoch, ended[1]));
  return ended.map((epoch) => shift(epoch, aheadMs, isKnown));
}

function unite(one: ReceiptEpoch, other: ReceiptEpoch = one): ReceiptEpoch {
  return {
    fromMs: Math.min(one.fromMs, other.fromMs),
    toMs: Math.max(one.toMs, other.toMs),
    byMs: Math.max(one.byMs, other.byMs),
    maybeMs: Math.max(one.maybeMs, other.maybeMs),
  };
}

/** A clock that is set back takes back first what may have been no downtime. */
function shift(epoch: ReceiptEpoch, aheadMs: number, isKnown: boolean): ReceiptEpoch {
  if (aheadMs > 0 && !isKnown) return { ...epoch, maybeMs: epoch.maybeMs + aheadMs };
  const takenMs = Math.min(epoch.maybeMs, Math.max(0, -aheadMs));
  return { ...epoch, byMs: epoch.byMs + aheadMs + takenMs, maybeMs: epoch.maybeMs - takenMs };
}

/**
 * By how much receipts are to be taken for later, or earlier, than they say. Of epochs that share times the one that makes a run younger
 * holds, and what may have been received since is never made older.
 */
export function correctionsOf(epochs: readonly ReceiptEpoch[], wallMs: number): ReceiptCorrection[] {
  const sinceMs = wallMs + CLOCK_LEAP_MS;
  const isBehind = ({ byMs }: ReceiptEpoch) => byMs > CLOCK_LEAP_MS;
  const later = epochs.filter(isBehind).sort((one, other) => other.byMs - one.byMs);
  const earlier = epochs.filter((epoch) => !isBehind(epoch)).sort((one, other) => other.byMs - one.byMs);
  return [
    ...later.map(({ fromMs, toMs, byMs }) => ({ fromMs, toMs, byMs })),
    ...earlier
      .map(({ fromMs, toMs, byMs }) => ({ fromMs: Math.max(fromMs, sinceMs), toMs, byMs }))
      .filter(({ fromMs, toMs }) => fromMs <= toMs),
  ];
}
