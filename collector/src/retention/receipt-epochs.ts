import { CLOCK_LEAP_MS } from '../limits.ts';
import type { ReceiptCorrection } from '../store/store.ts';

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
  const ended = [...epochs, { fromMs, toMs, byMs: 0, maybeMs: 0 }];
  while (ended.length > EPOCHS_MAX) uniteNearest(ended);
  return ended.map((epoch) => shift(epoch, aheadMs, isKnown));
}

/** Makes one epoch of those two by which least gets younger: where each start is years behind at first, neighbours in time are years apart. */
function uniteNearest(epochs: ReceiptEpoch[]): void {
  let nearest: { first: number; second: number; distanceMs: number } | undefined;
  for (const [second, epoch] of epochs.entries()) {
    for (let first = 0; first < second; first += 1) {
      const distanceMs = distanceOf(epochs[first] as ReceiptEpoch, epoch);
      if (nearest === undefined || distanceMs < nearest.distanceMs) nearest = { first, second, distanceMs };
    }
  }
  if (nearest === undefined) return;
  const [epoch] = epochs.splice(nearest.second, 1) as [ReceiptEpoch];
  epochs[nearest.first] = unite(epochs[nearest.first] as ReceiptEpoch, epoch);
}

function distanceOf(one: ReceiptEpoch, other: ReceiptEpoch): number {
  const gapMs = Math.max(0, one.fromMs - other.toMs, other.fromMs - one.toMs);
  return gapMs + Math.abs(one.byMs - other.byMs) + Math.abs(one.maybeMs - other.maybeMs);
}

function unite(one: ReceiptEpoch, other: ReceiptEpoch): ReceiptEpoch {
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
