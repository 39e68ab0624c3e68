import type { Crossing } from '@reenact/trace-model';

/** When things happened in the recorded run, in microseconds since its root started. */
export interface RecordedTimeline {
  startUs(crossing: Crossing): number;
  /** When its outcome reached the agent; infinite where that never happened. */
  settledUs(crossing: Crossing): number;
  /** The same where it has one; else when it started, the nearest that is known. */
  endUs(crossing: Crossing): number;
  /** Its number among the events of the run; undefined of what ended outside of it, where others are counted. */
  endOrder(crossing: Crossing): number | undefined;
  /**
   * When the event with this number happened that is no crossing's end, where a clock said `timeUs`: between the ends that were counted
   * before and after it.
   */
  eventUs(order: number, timeUs: number): number;
  /** Whether a crossing is one of the run, and not of its process outside of it. */
  isOfRun(spanId: string): boolean;
}

function sharesNoNumber(crossings: readonly Crossing[]): boolean {
  return new Set(crossings.map(({ settled }) => settled)).size === crossings.length;
}

interface Times {
  readonly crossing: Crossing;
  readonly startUs: number;
  /** By the completion order that was counted; undefined where the clock is all there is. */
  settledUs: number | undefined;
}

interface CountedEnd {
  readonly order: number;
  readonly timeUs: number;
}

/** `ends`: by their numbers, and so by their times. */
function betweenEnds(ends: readonly CountedEnd[], order: number, timeUs: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle]?.order ?? 0) < order) low = middle + 1;
    else high = middle;
  }
  const before = ends[low - 1]?.timeUs ?? Number.NEGATIVE_INFINITY;
  const after = ends[low]?.timeUs ?? Number.POSITIVE_INFINITY;
  return Math.min(Math.max(timeUs, before), after);
}

/** A replay asks for the times of the same crossings when it begins and for its report. */
const known = new WeakMap<readonly Crossing[], { readonly root: Crossing; readonly timeline: RecordedTimeline }>();

/**
 * Reads the recorded times of a run. Each span takes its end from a wall clock of its own anchoring, so ends can disagree
 * with the completion order that was counted; the order is the truth, and times are moved up to agree with it. Spans of
 * several processes count separately (a number occurs twice): there only the clock is left.
 */
export function recordedTimeline(root: Crossing, crossings: readonly Crossing[]): RecordedTimeline {
  const before = known.get(crossings);
  if (before?.root === root) return before.timeline;
  const timeline = readTimeline(root, crossings);
  known.set(crossings, { root, timeline });
  return timeline;
}

function readTimeline(root: Crossing, crossings: readonly Crossing[]): RecordedTimeline {
  const origin = root.startTimeUnixNano;
  const toUs = (unixNano: bigint): number => Number(unixNano - origin) / 1_000;
  const times = new Map<string, Times>();
  for (const crossing of crossings) {
    times.set(crossing.spanId, { crossing, startUs: toUs(crossing.startTimeUnixNano), settledUs: undefined });
  }
  const ends: CountedEnd[] = [];
  const counted = crossings.filter(({ settled, outcome }) => settled !== undefined && outcome.type !== 'pending');
  if (sharesNoNumber(counted)) {
    let latest = Number.NEGATIVE_INFINITY;
    for (const crossing of counted.toSorted((left, right) => (left.settled ?? 0) - (right.settled ?? 0))) {
      latest = Math.max(latest, toUs(crossing.endTimeUnixNano));
      const own = times.get(crossing.spanId);
      if (own !== undefined) own.settledUs = latest;
      ends.push({ order: crossing.settled ?? 0, timeUs: latest });
    }
  }
  const startUs = (crossing: Crossing): number => {
    const own = times.get(crossing.spanId);
    // A plan may have put another crossing in its place.
    return own?.crossing === crossing ? own.startUs : toUs(crossing.startTimeUnixNano);
  };
  const settledUs = (crossing: Crossing): number => {
    if (crossing.outcome.type === 'pending') return Number.POSITIVE_INFINITY;
    return times.get(crossing.spanId)?.settledUs ?? toUs(crossing.endTimeUnixNano);
  };
  const endUs = (crossing: Crossing): number => {
    const settled = settledUs(crossing);
    return Number.isFinite(settled) ? settled : startUs(crossing);
  };
  const endOrder = ({ spanId, settled }: Crossing): number | undefined => (times.has(spanId) ? settled : undefined);
  const eventUs = (order: number, timeUs: number): number => betweenEnds(ends, order, timeUs);
  const isOfRun = (spanId: string): boolean => times.has(spanId);
  return { startUs, settledUs, endUs, endOrder, eventUs, isOfRun };
}
