import type { RecordedTickOrigin } from '@reenact/trace-model';
import { RUN_LEAD_MS } from '../../limits.ts';
import type { RunClock } from './run-clock.ts';

/**
 * How long the process of the recording had been running, at `readMs` after the start of the run (negative: before it). A process
 * that was young then has less time before the run than a replay takes to start: what is more than half of that is squeezed
 * into the rest, so that its clock still only runs forward and is never below zero.
 */
function sinceZeroMs(leadMs: number, readMs: number): number {
  const halfMs = leadMs / 2;
  return readMs >= -halfMs ? leadMs + readMs : (halfMs * halfMs) / -readMs;
}

/** What the clocks of a replayed run that only run forward show where no recorded read is left. */
export class TickClock {
  private readonly clock: RunClock;
  private readonly findOrigin: () => RecordedTickOrigin | undefined;
  private found: { readonly origin: RecordedTickOrigin | undefined } | undefined;
  private latestNano = 0;

  /** `findOrigin`: where the zero was in the recorded process; it is asked once. */
  constructor(clock: RunClock, findOrigin: () => RecordedTickOrigin | undefined) {
    this.clock = clock;
    this.findOrigin = findOrigin;
  }

  /** Where the zero was when the run was recorded; undefined where nobody read such a clock then. */
  get origin(): RecordedTickOrigin | undefined {
    this.found ??= { origin: this.findOrigin() };
    return this.found.origin;
  }

  /** `performance.timeOrigin`, milliseconds since 1970. */
  get timeOriginMs(): number {
    return this.origin?.timeOriginMs ?? this.clock.startUnixMs - RUN_LEAD_MS;
  }

  /** Nanoseconds since the zero; never less than before. */
  nowNano(): number {
    const leadMs = this.clock.startUnixMs + (this.origin?.skewMs ?? 0) - this.timeOriginMs;
    const sinceMs = sinceZeroMs(leadMs > 0 ? leadMs : RUN_LEAD_MS, this.clock.readUs / 1_000);
    this.latestNano = Math.max(this.latestNano, Math.round(sinceMs * 1e6));
    return this.latestNano;
  }

  /** A recorded read showed this: what comes later is not before it. */
  reach(nano: number): void {
    this.latestNano = Math.max(this.latestNano, nano);
  }

  /** When that was by the clock of the spans, milliseconds since 1970. `origin`: of the process that the read was recorded in. */
  static unixMs(nano: number, { timeOriginMs, skewMs = 0 }: RecordedTickOrigin): number {
    return timeOriginMs + nano / 1e6 - skewMs;
  }
}
