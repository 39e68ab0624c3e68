import type { Crossing } from '@reenact/trace-model';

/** When things happened in the recorded run, in microseconds since its root started. */
export interface RecordedTimeline {
  startUs(crossing: Crossing): number;
  /** When its outcome reached the agent; infinite where that never happened. */
  settledUs(crossing: Crossing): number;
}

function sharesNoNumber(crossings: readonly Crossing[]): boolean {
  return new Set(crossings.map(({ settled }) => settled)).size === crossings.length;
}

/**
 * Reads the recorded times of a run. Each span takes its end from a wall clock of its own anchoring, so ends can disagree
 * with the completion order that was counted; the order is the truth, and times are moved up to agree with it. Spans of
 * several processes count separately (a number occurs twice): there only the clock is left.
 */
export function recordedTimeline(root: Crossing, crossings: readonly Crossing[]): RecordedTimeline {
  const origin = root.startTimeUnixNano;
  const toUs = (unixNano: bigint): number => Number(unixNano - origin) / 1_000;
  const settledTimes = new Map<string, number>();
  const counted = crossings.filter(({ settled, outcome }) => settled !== undefined && outcome.type !== 'pending');
  if (sharesNoNumber(counted)) {
    let latest = Number.NEGATIVE_INFINITY;
    for (const crossing of counted.toSorted((left, right) => (left.settled ?? 0) - (right.settled ?? 0))) {
      latest = Math.max(latest, toUs(crossing.endTimeUnixNano));
      settledTimes.set(crossing.spanId, latest);
    }
  }
  return {
    startUs: ({ startTimeUnixNano }) => toUs(startTimeUnixNano),
    settledUs: (crossing) => {
      if (crossing.outcome.type === 'pending') return Number.POSITIVE_INFINITY;
      return settledTimes.get(crossing.spanId) ?? toUs(crossing.endTimeUnixNano);
    },
  };
}
