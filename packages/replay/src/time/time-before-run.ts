import type { Crossing } from '@reenact/trace-model';
import {
  EXPECTED_CALL_MS_MAX,
  SET_UP_FIRED_MAX,
  SET_UP_LATE_US_MAX,
  SET_UP_LOOK_QUIET_MS,
  SET_UP_LOOKS,
  TIMER_TOLERANCE_US,
} from '../limits.ts';
import type { OrderedHeap } from './ordered-heap.ts';
import type { RunClock } from './run-clock.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import type { SetUpToCome } from './set-up-to-come.ts';
import { runningMs } from './stopped-time.ts';

/** What passes before a run is entered. */
export interface TimeBeforeRunOptions {
  readonly clock: RunClock;
  readonly heap: OrderedHeap<ScheduleEntry>;
  /** Absent where no timer called anything before the run when that was recorded. */
  readonly toCome?: SetUpToCome | undefined;
}

function waits({ timer }: ScheduleEntry): boolean {
  return timer?.isOver === false;
}

/**
 * Time before a run. It passes by itself, and leaps with what the process is given and calls. Where timers called something before the run, it stands still
 * between all that, and leaps to each recorded call once only timers wait: who reads settings every minute has done so for days before the
 * run, in no time (docs/adr/0052).
 */
export class TimeBeforeRun {
  private readonly options: TimeBeforeRunOptions;
  /** How far the set-up is ahead of the clock, microseconds. */
  private leadUs = 0;
  /** Where time stands still; undefined: it passes by itself. */
  private standsUs: number | undefined;
  /** When the call was made that time leapt to last, and until when timers are due by that. */
  private leapUs = Number.NEGATIVE_INFINITY;
  private reachesUs = Number.NEGATIVE_INFINITY;
  /** How many timers have fired since. */
  private fired = 0;
  /** When the last leap was made, on the real clock of `runningMs`; undefined: one is to come. */
  private overMs: number | undefined;
  /** A timer has fired, or was to, since something was answered at its time. */
  private isByTimer = false;
  private looks = 0;
  /** The timer that is due next was taken for one whose call is due. */
  private hasTriedNext = false;
  /** It was waited for a call in vain, and none has come since. */
  private isGivenUp = false;

  constructor(options: TimeBeforeRunOptions) {
    this.options = options;
  }

  /** Where the set-up stands; in the run, where that does. */
  get orderUs(): number {
    return this.standsUs ?? this.options.clock.orderUs + this.leadUs;
  }

  /** By when calls of the set-up are made now. What follows an answer, or the start, is no timer's: it is the next that is to come. */
  get callsUs(): number {
    const byUs = this.standsUs === undefined ? this.orderUs : Math.max(this.standsUs, this.leapUs);
    return this.isByTimer ? byUs : Math.max(byUs, this.options.toCome?.nextUs ?? byUs);
  }

  /** Where a timer stands that is due at this time: behind the next leap, where very many have fired since the last. */
  placeOf(dueUs: number): number {
    const isLater = this.standsUs !== undefined && this.fired > SET_UP_FIRED_MAX;
    return isLater ? Math.max(dueUs, this.reachesUs + 1) : dueUs;
  }

  /** Where a time of the order stands on the clock. */
  onClock(timeUs: number): number {
    return timeUs - this.leadUs;
  }

  /**
   * Something is recorded to happen at this time: the set-up is answered without waiting, and gets ahead of its recording's clock. Timers that wait then are as
   * long from being due as before, so that one which guards a call does not stand before what that was recorded to take.
   */
  leap(timeUs: number): void {
    const leapUs = Math.min(timeUs, 0) - this.orderUs;
    if (leapUs > 0) {
      this.move(leapUs);
      this.options.heap.change((entry) => {
        if (entry.timer !== undefined) entry.timeUs += leapUs;
      });
    }
    if (this.options.toCome !== undefined && this.overMs === undefined) this.standsUs ??= this.orderUs;
  }

  /** An answer is given that was recorded to come at this time, or a timer fires that is due then. */
  pass(timeUs: number, isTimer: boolean): void {
    this.isByTimer = isTimer || (this.isByTimer && timeUs < this.orderUs);
    if (this.standsUs !== undefined) {
      this.standsUs = Math.max(this.standsUs, Math.min(timeUs, 0));
      this.fired += isTimer ? 1 : 0;
      this.options.clock.leap(this.standsUs);
    } else if (!isTimer) this.leap(timeUs);
  }

  private move(byUs: number): void {
    if (this.standsUs === undefined) this.leadUs += byUs;
    else this.standsUs += byUs;
  }

  /** The run is entered at this time. Gives by how much that moves what waits: nothing, where it stands at recorded times. */
  enter(timeUs: number): number {
    const movedUs = this.options.clock.enter(timeUs) - this.leadUs;
    const stood = this.standsUs !== undefined;
    this.leadUs = 0;
    this.standsUs = undefined;
    return stood ? 0 : movedUs;
  }

  /** A call was made that may be one of the set-up. */
  made(crossing: Crossing): void {
    this.options.toCome?.wasMade(crossing);
    this.isGivenUp = false;
  }

  /** When the next call is due that a timer may make; undefined: none is to come, or nothing waits that could make one. */
  get nextUs(): number | undefined {
    const nextUs = this.options.toCome?.nextUs;
    return nextUs !== undefined && this.options.heap.some(waits) ? nextUs : undefined;
  }

  /**
   * How many real milliseconds a timer waits that is due at this time; undefined: time passes by itself. `isBeforeAnswer`: an answer is on its way that was
   * recorded to come later.
   */
  timerRestMs(dueUs: number, isBeforeAnswer: boolean): number | undefined {
    if (this.standsUs === undefined) return undefined;
    if (dueUs <= Math.max(this.standsUs, this.reachesUs) || isBeforeAnswer) return 0;
    if (this.overMs === undefined) return EXPECTED_CALL_MS_MAX;
    const restMs = this.overMs + EXPECTED_CALL_MS_MAX - runningMs();
    if (restMs > 0) return restMs;
    // What it waits for does not come: neither the run nor a request that begins it.
    this.leadUs = this.standsUs - this.options.clock.orderUs;
    this.standsUs = undefined;
    return undefined;
  }

  /** How many real milliseconds to look on until time may leap: the process may still be at work. `quietMs`: how long it has called nothing. */
  restMs(quietMs: number): number {
    if (this.isGivenUp || this.options.toCome?.isAwaited !== true) return 0;
    this.looks = quietMs < SET_UP_LOOK_QUIET_MS ? 1 : this.looks + 1;
    if (this.looks <= SET_UP_LOOKS) return SET_UP_LOOK_QUIET_MS;
    this.isGivenUp = true;
    return 0;
  }

  /** Time leaps to that call: timers that are due by then fire, in their order and at their times, and not very often. */
  leapToNext(nextUs: number): void {
    const { toCome } = this.options;
    toCome?.isDue();
    this.isByTimer = true;
    this.hasTriedNext = false;
    if (toCome?.nextUs === undefined) this.overMs = runningMs();
    this.standsUs = Math.max(this.orderUs, Math.min(this.leapUs, 0));
    this.leapUs = nextUs;
    this.reachesUs = nextUs + TIMER_TOLERANCE_US;
    this.fired = 0;
  }

  /**
   * Whether no timer that was due has made the call which is, and the one that would be next is due instead: replayed code takes other times, and timers of a
   * busy machine come late.
   */
  triesNext(): boolean {
    const { standsUs } = this;
    if (standsUs === undefined || this.hasTriedNext || this.options.toCome?.isAwaited !== true) return false;
    this.hasTriedNext = true;
    const firstUs = this.firstDueUs();
    if (firstUs >= 0 || firstUs > Math.max(standsUs, this.leapUs) + SET_UP_LATE_US_MAX) return false;
    this.reachesUs = firstUs;
    return true;
  }

  private firstDueUs(): number {
    let firstUs = Number.POSITIVE_INFINITY;
    this.options.heap.some((entry) => {
      if (waits(entry)) firstUs = Math.min(firstUs, entry.timeUs);
      return false;
    });
    return firstUs;
  }
}
