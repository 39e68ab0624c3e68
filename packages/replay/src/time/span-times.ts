import type { ActiveTimes } from './active-times.ts';
import type { RunTime } from './run-time.ts';

/**
 * The times at which the spans of a replay stand that is sent on: those of its run's clock, so that as much time lies between any two as when
 * they were recorded, and what runs live takes as long as it takes. A replay gives answers without waiting: at real times a model
 * would have answered within microseconds, while the parts of its stream and the limits around it still stood seconds apart.
 */
export class SpanTimes {
  private readonly times: ActiveTimes;
  private readonly latestUs = new WeakMap<RunTime, number>();

  constructor(times: ActiveTimes) {
    this.times = times;
  }

  /** Nanoseconds since 1970, a microsecond later than any before of the same run; undefined: what is done now belongs to no run. */
  now(): bigint | undefined {
    const time = this.times.ofContext();
    if (time === undefined) return undefined;
    const { startUnixMs, spanUs } = time.clock;
    // The clock stands still between two events, and also of what happens meanwhile it counts what was first: parts of streams are kept to the microsecond.
    const nowUs = Math.max(Math.round(startUnixMs * 1_000 + spanUs), (this.latestUs.get(time) ?? 0) + 1);
    this.latestUs.set(time, nowUs);
    return BigInt(nowUs + this.times.spansLaterMs * 1_000) * 1_000n;
  }
}
