import type { Crossing } from '@reenact/trace-model';
import {
  EXPECTED_CALL_MS_MAX,
  SET_UP_FIRED_MAX,
  SET_UP_LATE_US_MAX,
  SET_UP_LOOK_QUIET_MS,
  SET_UP_LOOKS,
  TIMER_TOLERANCE_US,
} from '../../limits.ts';
import type { TimerPlace } from '../recorded/timer-place.ts';
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

type PlacedTimer = TimerPlace & { readonly recorded: NonNullable<TimerPlace['recorded']> };

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
  /** How many timers have fired since, or since the last call. */
  private fired = 0;
  /** When the last leap was made, on the real clock of `runningMs`; undefined: one is to come. */
  private overMs: number | undefined;
  /** A timer has fired, or was to, since something was answered at its time. */
  private isByTimer = false;
  /** Where the set-up stood when something was recorded to happen last, and where it had stood when the timer was set that fired last. */
  private knownUs = Number.NEGATIVE_INFINITY;
  private firedSetUs = Number.NEGATIVE_INFINITY;
  private looks = 0;
  /** The timer that is due next was taken for one whose call is due. */
  private hasTriedNext = false;
  /** It was waited for a call in vain, and none has come since. */
  private isGivenUp = false;
  private toldOver: (() => void) | undefined;

  constructor(options: TimeBeforeRunOptions) {
    this.options = options;
  }

  /** Whether timers called something before the run when it was recorded. */
  get isOfPolling(): boolean {
    return this.options.toCome !== undefined;
  }

  /** Told once when all that is to come before the run has come, where time stands before it: its timers that were due by then have fired. */
  onceOver(told: () => void): void {
    this.toldOver = told;
  }

  private isOver(): void {
    this.toldOver?.();
    this.toldOver = undefined;
  }

  /** Whether timers are still to call something that was recorded to begin before this time. */
  hasCallBefore(timeUs: number): boolean {
    return this.options.toCome?.hasCallBefore(timeUs) === true;
  }

  /** Nothing waits. */
  restsIdle(): void {
    if (this.standsUs !== undefined && this.options.toCome?.isRunNext === true) this.isOver();
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

  /** Where a timer stands that is due at this time: where it fired when that is recorded; behind the next leap, where very many have fired since the last. */
  placeOf(dueUs: number, timer: TimerPlace): number {
    const { standsUs } = this;
    if (standsUs !== undefined && this.fired > SET_UP_FIRED_MAX) return Math.max(dueUs, this.reachedFrom(standsUs) + 1);
    if (!this.isPlaced(timer)) return dueUs;
    const { hasFired, timeUs } = timer.recorded;
    return hasFired ? timeUs : Math.max(timeUs, dueUs);
  }

  /** Until when timers are due by the leap that was made last; by the next one, where none was made to here. */
  private reachedFrom(standsUs: number): number {
    const nextUs = this.options.toCome?.nextUs;
    return nextUs === undefined || this.reachesUs >= standsUs ? this.reachesUs : nextUs + TIMER_TOLERANCE_US;
  }

  /** Whether it is known from the recording when a timer fired: it has that place, and none by when it is due. */
  private isPlaced(timer: TimerPlace): timer is PlacedTimer {
    return this.options.toCome !== undefined && !timer.isWork && timer.recorded?.isOutside === true;
  }

  /** Where a time of the order stands on the clock. */
  onClock(timeUs: number): number {
    return timeUs - this.leadUs;
  }

  /**
   * Something is recorded to happen at this time: the set-up is answered without waiting, and gets ahead of its recording's clock. Timers that wait then are as
   * long from being due as before, so that one which guards a call does not stand before what that was recorded to take. Where time stands, only those
   * are moved whose time of being set is not known better: work of the process, or a timer that was late, delays no other timer.
   */
  leap(timeUs: number): void {
    this.options.clock.happened(timeUs);
    const leapUs = Math.min(timeUs, 0) - this.orderUs;
    if (leapUs > 0) {
      const stood = this.standsUs !== undefined;
      this.move(leapUs);
      this.options.heap.change((entry) => {
        const { timer } = entry;
        if (timer === undefined || this.isPlaced(timer)) return;
        if (!stood || this.isSetInBetween(timer)) entry.timeUs += leapUs;
      });
    }
    if (this.options.toCome !== undefined && this.overMs === undefined) this.standsUs ??= this.orderUs;
    this.knownUs = this.orderUs;
  }

  /** Whether a timer was set since something happened last, or together with the timer that fired last, which was set as much later as that fired. */
  private isSetInBetween({ setUs }: TimerPlace): boolean {
    return setUs >= this.knownUs || setUs === this.firedSetUs;
  }

  /** An answer is given that was recorded to come at this time, or a timer fires that is due then. */
  pass(timeUs: number, timer: TimerPlace | undefined): void {
    const isTimer = timer !== undefined;
    if (!isTimer) this.options.clock.happened(timeUs);
    this.isByTimer = isTimer || (this.isByTimer && timeUs < this.orderUs);
    this.firedSetUs = timer?.setUs ?? this.firedSetUs;
    if (this.standsUs !== undefined) {
      this.standsUs = Math.max(this.standsUs, Math.min(timeUs, 0));
      this.fired += isTimer ? 1 : 0;
      this.options.clock.leap(this.standsUs);
      this.knownUs = this.standsUs;
    } else if (!isTimer || this.isPlaced(timer)) this.leap(timeUs);
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
    this.fired = 0;
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
  timerRestMs(dueUs: number, timer: TimerPlace, isBeforeAnswer: boolean): number | undefined {
    if (this.standsUs === undefined) return undefined;
    if (dueUs <= Math.max(this.standsUs, this.reachesUs) || (isBeforeAnswer && dueUs < 0)) return 0;
    // No call is to come before it.
    if (this.isPlaced(timer) && dueUs <= (this.options.toCome?.nextUs ?? dueUs - 1)) return 0;
    return this.restUntilEnteredMs();
  }

  /** How many real milliseconds an answer waits that was recorded to come at this time: one that the run began before comes in the run. */
  answerRestMs(timeUs: number): number {
    return this.standsUs === undefined || timeUs <= 0 ? 0 : (this.restUntilEnteredMs() ?? 0);
  }

  private restUntilEnteredMs(): number | undefined {
    if (this.standsUs === undefined) return undefined;
    if (this.overMs === undefined) return EXPECTED_CALL_MS_MAX;
    this.isOver();
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
