import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import {
  BEYOND_RECORDED_MS_MAX,
  EXPECTED_CALL_MS_MAX,
  MAY_COME_LOOK_MS,
  REAL_WORK_POLL_MS,
  TIMER_TOLERANCE_US,
} from '../../limits.ts';
import type { RecordedTimer, TimerOptions, TimerPlace } from '../recorded/timer-place.ts';
import type { ExpectedCalls } from './expected-calls.ts';
import { ExpectedEnds } from './expected-ends.ts';
import { RealWork } from './real-work.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { runningMs } from './stopped-time.ts';

/**
 * Where a timer stands among what was recorded to happen at the same time: after all of it, at its own place where that is recorded. What had not
 * fired while so many events were numbered comes after the last of them.
 */
export function tieOf(recorded: RecordedTimer | undefined): number {
  if (recorded === undefined) return Number.POSITIVE_INFINITY;
  return recorded.hasFired ? recorded.order : recorded.order - 0.5;
}

/** What the rules are applied to. */
export interface TimerRulesOptions {
  readonly timeline: RecordedTimeline;
  /** When the last thing of the run was recorded to happen, microseconds since it started. */
  readonly endUs?: number | undefined;
  readonly expected?: ExpectedCalls | undefined;
  readonly realWork?: RealWork | undefined;
}

/**
 * When a timer of the agent's may fire (docs/adr/0012). It never fires later than it would for real, but where it is known that it fired
 * after a call that is still to come. Before the run and beside
 * live crossings it never fires earlier either. Else it fires as soon as it is its turn, unless the agent is still busy: with
 * work outside JavaScript, or on its way to a call that was recorded to start before.
 */
export class TimerRules {
  readonly expected: ExpectedCalls | undefined;
  readonly ends = new ExpectedEnds();
  /** How often work has waited in vain for what was recorded to come before its end, or did not end. */
  workGivenUp = 0;
  private readonly realWork: RealWork;
  /** The runs that go on in this process, with their recorded ends: one, or those parts of it that other services asked for. */
  private readonly open = new Map<Crossing, number>();
  private readonly timeline: RecordedTimeline;
  private givenUpUs = Number.NEGATIVE_INFINITY;
  private endUs: number;
  private phase: 'before' | 'inside' | 'after' = 'before';
  private lastEventMs = runningMs();

  constructor({ timeline, endUs, expected, realWork }: TimerRulesOptions) {
    this.timeline = timeline;
    this.endUs = endUs ?? Number.POSITIVE_INFINITY;
    this.expected = expected;
    this.realWork = realWork ?? new RealWork();
  }

  /** Whether a run has been entered. */
  get isEntered(): boolean {
    return this.phase !== 'before';
  }

  /** A run is entered. `endUs`: when the last thing of it was recorded to happen; default that of the whole recording. */
  enter(run: Crossing, endUs: number = this.endUs): void {
    this.phase = 'inside';
    this.open.set(run, endUs);
    this.endUs = Math.max(...this.open.values());
    this.expected?.made(run, true);
  }

  /** A crossing has ended; it may have been a run that was entered. */
  end(crossing: Crossing): void {
    if (!this.open.delete(crossing)) return;
    if (this.open.size === 0) this.phase = 'after';
    else this.endUs = Math.max(...this.open.values());
  }

  /** When the first call or end of the code that runs is expected, microseconds since the run started; infinite where none is. */
  get expectedUs(): number {
    if (this.phase !== 'inside') return Number.POSITIVE_INFINITY;
    let earliestUs = this.expected?.earliestUs ?? Number.POSITIVE_INFINITY;
    for (const run of this.open.keys()) {
      const endUs = this.timeline.settledUs(run);
      if (endUs >= this.givenUpUs) earliestUs = Math.min(earliestUs, endUs);
    }
    return earliestUs;
  }

  /** What is expected before this is not waited for any more. */
  giveUp(beforeUs: number): void {
    this.givenUpUs = Math.max(this.givenUpUs, beforeUs);
    this.expected?.giveUp(beforeUs);
  }

  /** How long nothing has happened, milliseconds. */
  get quietMs(): number {
    return runningMs() - this.lastEventMs;
  }

  /** The agent has done something, or was given something. */
  somethingHappened(): void {
    this.lastEventMs = runningMs();
  }

  /**
   * Whether the process was there when this timer fired at this time: while the replay is inside the recorded run, and the time is. Of one that
   * had not fired when it was last seen nobody knows that.
   */
  keptProcess({ recorded }: TimerPlace, timeUs: number): boolean {
    return recorded?.hasFired !== false && this.phase === 'inside' && timeUs <= this.endUs;
  }

  /** A place for a timer that is set now, where the order stands at `setUs`. */
  place(
    { delayMs, isHolding, recorded, deliveredUs, isWork = false, isShared = false, dropped }: TimerOptions,
    setUs: number,
  ): TimerPlace {
    return {
      setUs,
      realDueMs: runningMs() + delayMs,
      recorded,
      deliveredUs,
      isWork,
      isShared,
      dropped,
      isHolding,
      isOver: false,
    };
  }

  /** Where a timer stands in the run: one that had not fired when it was last seen is due as late as it would be, all the same. */
  timerUs({ recorded, deliveredUs }: TimerPlace, dueUs: number): number {
    if (recorded === undefined) return deliveredUs ?? dueUs;
    const { isOutside, order } = recorded;
    const timeUs = isOutside === true ? recorded.timeUs : this.timeline.eventUs(order, recorded.timeUs);
    return recorded.hasFired ? timeUs : Math.max(timeUs, dueUs);
  }

  /** Whether it is a timer that is due only once the run had ended: real time goes by while that waits for other runs, as behind a limit that they share. */
  isBeyond({ timer, timeUs }: Pick<ScheduleEntry, 'timer' | 'timeUs'>): boolean {
    return timer?.isWork === false && this.phase === 'inside' && timeUs > this.endUs;
  }

  /**
   * How many real milliseconds to wait before asking again; 0: it fires. `dueUs`: its virtual time; `realUs`: the time of the
   * order, where it passes by itself, be it because something runs live.
   */
  restMsOf(timer: TimerPlace, dueUs: number, realUs: number | undefined, isBesideLive: boolean): number {
    const { realDueMs, recorded } = timer;
    const nowMs = runningMs();
    const leftMs = Math.max(realDueMs - nowMs, 0);
    const isExact = recorded !== undefined || timer.deliveredUs !== undefined;
    if (realUs !== undefined) {
      const restMs = Math.max(Math.min(leftMs, (dueUs - realUs) / 1_000), 0);
      // At recorded pace a slow machine is late for its calls, and for nothing else.
      return restMs > 0 || !isExact || !this.isEntered || isBesideLive ? restMs : this.restBeforeCallsMs(timer, dueUs);
    }
    if (leftMs === 0 && !isExact) return 0;
    if (leftMs > 0 && this.realWork.isGoingOn()) return Math.min(leftMs, REAL_WORK_POLL_MS);
    const quietMs = nowMs - this.lastEventMs;
    if (dueUs > this.endUs && !timer.isWork) {
      if (this.realWork.mayCome()) return Math.min(leftMs, MAY_COME_LOOK_MS);
      return Math.max(Math.min(leftMs, BEYOND_RECORDED_MS_MAX - quietMs), 0);
    }
    const restMs = this.restBeforeCallsMs(timer, dueUs);
    return isExact ? restMs : Math.min(leftMs, restMs);
  }

  /** How many real milliseconds to wait for calls that were recorded before this timer fired, as long as anything happens. */
  private restBeforeCallsMs(timer: TimerPlace, dueUs: number): number {
    const { recorded } = timer;
    if (!this.isExpecting(dueUs, recorded)) return 0;
    const nowMs = runningMs();
    timer.waitsSinceMs ??= nowMs;
    const patienceMs = EXPECTED_CALL_MS_MAX - (nowMs - Math.max(this.lastEventMs, timer.waitsSinceMs));
    if (patienceMs > 0) return patienceMs;
    if (timer.isWork) this.workGivenUp += 1;
    this.expected?.giveUp(dueUs);
    if (recorded !== undefined && recorded.isOutside !== true) this.ends.giveUp(recorded.order);
    return 0;
  }

  /** How many of these real milliseconds to wait before asking again, because work outside JavaScript goes on; 0: none does. */
  restBesideWorkMs(longestMs: number): number {
    return this.realWork.isGoingOn() ? Math.min(longestMs, REAL_WORK_POLL_MS) : 0;
  }

  /**
   * What the agent reads from files and programs takes real time, and an answer that took a second came after it. So it does again, where
   * it does not take longer than the time that was recorded to pass until the answer.
   */
  restUntilReadyMs(answer: { readonly timeUs: number; readySinceMs?: number }, orderUs: number): number {
    const nowMs = runningMs();
    answer.readySinceMs ??= nowMs;
    const leftMs = (answer.timeUs - orderUs) / 1_000 - (nowMs - answer.readySinceMs);
    return leftMs > 0 ? this.restBesideWorkMs(leftMs) : 0;
  }

  /** Whether something is still to come that was recorded to happen before a timer fired, or before it would have. */
  private isExpecting(dueUs: number, recorded: RecordedTimer | undefined): boolean {
    const isOfRun = recorded !== undefined && recorded.isOutside !== true;
    if (isOfRun && this.ends.isBefore(recorded.order)) return true;
    const toleranceUs = recorded === undefined ? TIMER_TOLERANCE_US : 0;
    return this.expected !== undefined && this.expected.earliestUs + toleranceUs < dueUs;
  }
}
