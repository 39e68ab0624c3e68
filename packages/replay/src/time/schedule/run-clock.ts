import { LEAP_LEAD_MS, RUN_LEAD_MS } from '../../limits.ts';
import { runningMs } from './stopped-time.ts';

/**
 * The time of one replayed run, in microseconds since it was recorded to start; negative before the run is entered. It is
 * told twice. `orderUs` says what comes before what: it stands still between two events, so that no order depends on how
 * fast this machine is. `readUs` is what the agent's clock shows: it never stands still, so that a loop that waits for a
 * moment ends, and never runs backwards.
 */
export class RunClock {
  /** When the recorded run started, milliseconds since 1970. */
  readonly startUnixMs: number;
  private readonly realMs: () => number;
  private orderBaseUs = -RUN_LEAD_MS * 1_000;
  private orderSinceMs: number;
  private readBaseUs = -RUN_LEAD_MS * 1_000;
  private readSinceMs: number;
  private isReal = true;
  /** Nothing that happens moves the clock beyond this; before the run is entered. */
  private latestUs = -RUN_LEAD_MS * 1_000;
  private happenedUs = Number.NEGATIVE_INFINITY;
  /** When what came before the run was recorded to begin; undefined where nothing of that was. */
  private beganUs: number | undefined;
  private happenedMs = 0;

  constructor(startUnixNano: bigint, realMs: () => number = runningMs) {
    this.startUnixMs = Number(startUnixNano / 1_000n) / 1_000;
    this.realMs = realMs;
    this.orderSinceMs = realMs();
    this.readSinceMs = this.orderSinceMs;
  }

  /**
   * Sets where the clock stands now, before anybody has read it, because what came before the run was recorded, too. It stays so far
   * before the run that a start which is slower than the recorded one does not reach into it.
   */
  beginAt(beginsUs: number): void {
    this.beganUs = beginsUs;
    this.orderBaseUs = Math.min(beginsUs, this.latestUs);
    this.readBaseUs = this.orderBaseUs;
    this.orderSinceMs = this.realMs();
    this.readSinceMs = this.orderSinceMs;
  }

  /** Where the run stands for what is to be put in order. */
  get orderUs(): number {
    return this.isReal ? this.orderBaseUs + (this.realMs() - this.orderSinceMs) * 1_000 : this.orderBaseUs;
  }

  /** What the agent's clock shows. */
  get readUs(): number {
    return this.readBaseUs + (this.realMs() - this.readSinceMs) * 1_000;
  }

  /** What the agent's clock shows, milliseconds since 1970 with their fraction. */
  get readUnixMs(): number {
    return this.startUnixMs + this.readUs / 1_000;
  }

  /** Something was recorded to happen at this time, and does now. The order may stay behind: what was recorded to come before it, as in another process, may still come. */
  happened(timeUs: number): void {
    if (timeUs <= this.happenedUs) return;
    this.happenedUs = timeUs;
    this.happenedMs = this.realMs();
  }

  /**
   * Where a span of the replay's own recording stands now, in recorded time: at what happened last, and later by as much as has passed since then, where time
   * passes by itself. Where nothing has happened yet, it is where the process was recorded to begin. Before the run is entered time passes, too, but what
   * belongs to the set-up stays before the run; so it does in a process that never enters the run by which it was started.
   */
  get spanUs(): number {
    const { happenedUs, isReal } = this;
    const isEntered = !Number.isFinite(this.latestUs);
    if (!Number.isFinite(happenedUs)) return isEntered ? this.orderUs : (this.beganUs ?? this.orderUs);
    const sinceMs = isEntered ? Math.max(this.happenedMs, this.orderSinceMs) : this.happenedMs;
    const spanUs = happenedUs + (isReal || !isEntered ? (this.realMs() - sinceMs) * 1_000 : 0);
    if (isEntered) return Math.max(this.orderUs, spanUs);
    return happenedUs < 0 ? Math.min(spanUs, -1) : spanUs;
  }

  /** Whether time passes by itself: before the run, beside a live crossing, and at recorded pace. */
  runReal(isReal: boolean): void {
    if (isReal === this.isReal) return;
    this.orderBaseUs = this.orderUs;
    this.orderSinceMs = this.realMs();
    this.isReal = isReal;
  }

  /** Something has happened at this recorded time: both readings are at least there from now on. */
  reach(toOrderUs: number, toReadUs: number = toOrderUs): void {
    const orderUs = Math.min(toOrderUs, this.latestUs);
    const readUs = Math.min(toReadUs, this.latestUs);
    if (orderUs > this.orderUs) {
      this.orderBaseUs = orderUs;
      this.orderSinceMs = this.realMs();
    }
    if (readUs > this.readUs) {
      this.readBaseUs = readUs;
      this.readSinceMs = this.realMs();
    }
  }

  /** Time before the run leaps to what is recorded to happen then, which may be nearer to the run than what else happens moves it. */
  leap(toUs: number): void {
    this.latestUs = Math.max(this.latestUs, Math.min(toUs, -LEAP_LEAD_MS * 1_000));
    this.reach(toUs);
  }

  /**
   * The run is entered now, at its beginning or where this process takes part in it. Gives by how much that moved the order, for
   * what was waiting before.
   */
  enter(atUs = 0): number {
    this.latestUs = Number.POSITIVE_INFINITY;
    const movedUs = atUs - this.orderUs;
    this.orderBaseUs = atUs;
    this.orderSinceMs = this.realMs();
    this.reach(atUs);
    return movedUs;
  }
}
