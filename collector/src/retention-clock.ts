import { CLOCK_LEAP_MS } from './limits.ts';

/** The clocks of a system. */
export interface Clocks {
  /** Unix milliseconds, as somebody may set them. */
  readonly wallMs: () => number;
  /** Milliseconds since some start; never set. */
  readonly steadyMs: () => number;
}

/** What a clock for retention begins with. */
export interface RetentionClockOptions {
  /** The time that it was when that was last believed, Unix milliseconds; undefined where nothing is known of it. */
  readonly lastMs: number | undefined;
  /** How long a leap ahead is doubted: until then nothing that was there before it is beyond its grace window. */
  readonly graceMs: number;
  /** Told how far the system's clock leapt ahead while it was followed. */
  readonly onLeap: (aheadMs: number) => void;
  readonly clocks?: Clocks;
}

const systemClocks: Clocks = { wallMs: () => Date.now(), steadyMs: () => performance.now() };

/**
 * The time by which runs are thinned out, which cannot be undone. It follows the system's clock, also back, but where that leaps ahead
 * it goes on at its own pace for a grace window: clocks that were set wrong are set right again by then. At a start it goes on from
 * where it was, so a machine that boots with a clock of years ahead deletes nothing for it.
 */
export class RetentionClock {
  private readonly options: RetentionClockOptions;
  private readonly clocks: Clocks;
  private believed: { readonly wallMs: number; readonly steadyMs: number };
  private leaptAtMs: number | undefined;

  constructor(options: RetentionClockOptions) {
    this.options = options;
    this.clocks = options.clocks ?? systemClocks;
    const [wallMs, steadyMs] = [this.clocks.wallMs(), this.clocks.steadyMs()];
    const lastMs = options.lastMs ?? wallMs;
    const isAhead = wallMs - lastMs > CLOCK_LEAP_MS;
    this.believed = { wallMs: isAhead ? lastMs : wallMs, steadyMs };
    if (isAhead) this.leaptAtMs = steadyMs;
  }

  /** Unix milliseconds. */
  nowMs(): number {
    const [wallMs, steadyMs] = [this.clocks.wallMs(), this.clocks.steadyMs()];
    const expectedMs = this.believed.wallMs + Math.round(steadyMs - this.believed.steadyMs);
    const isAhead = wallMs - expectedMs > CLOCK_LEAP_MS;
    if (isAhead && this.leaptAtMs === undefined) {
      this.leaptAtMs = steadyMs;
      this.options.onLeap(wallMs - expectedMs);
    }
    if (isAhead && steadyMs - (this.leaptAtMs ?? steadyMs) < this.options.graceMs) return expectedMs;
    this.believed = { wallMs, steadyMs };
    this.leaptAtMs = undefined;
    return wallMs;
  }
}
