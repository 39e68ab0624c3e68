import { pristine, type Release } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import type { ArmedTimer, RecordedTimer, TimerOptions, TimerPlace } from '../recorded/timer-place.ts';
import { callAtOnce } from './call-timer.ts';
import { cameWith } from './came-with.ts';
import { FiringTimer } from './firing-timer.ts';
import type { Handing } from './handing.ts';
import type { IdleBeforeRun } from './idle-before-run.ts';
import { isInStep, isUnfired } from './is-in-step.ts';
import { isSynchronous } from './is-synchronous.ts';
import type { Pace } from './pace.ts';
import { ReachedEvents } from './reached-events.ts';
import { ReactionTurns } from './reaction-turns.ts';
import { type ReleaseWays, recordedRelease } from './recorded-release.ts';
import type { ReleaseScheduleOptions } from './release-schedule-options.ts';
import { RunClock } from './run-clock.ts';
import { RunningLive } from './running-live.ts';
import type { RunInStep, StepOfRun } from './runs-in-step.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { runningMs } from './stopped-time.ts';
import { TimeBeforeRun } from './time-before-run.ts';
import { TimerRules, tieOf } from './timer-rules.ts';
import { WaitingEntries } from './waiting-entries.ts';

const realTimerMsMax = 2 ** 31 - 1;

/**
 * Hands recorded outcomes to the agent in the order in which they reached it when they were recorded, without waiting for
 * real (DESIGN section 6, "time"). One entry is released, then the event loop turns so that what the agent does about it
 * has happened, and may have added entries of its own, before the next. Nothing is held back for what has not been asked
 * for: an agent that waits for real input or output never blocks it, nor it the agent.
 *
 * A crossing that runs live takes real time. While one is running, what was recorded to happen after its end waits for it,
 * so that a race is won as it was; but never longer than it took itself when recorded, so that nothing waits for ever.
 *
 * The agent's timers are entries of the same schedule (docs/adr/0012); `TimerRules` says when one may fire.
 */
export class ReleaseSchedule implements RunInStep {
  readonly timeline: RecordedTimeline;
  private readonly clock: RunClock;
  private readonly pace: Pace;
  readonly rules: TimerRules;
  private readonly waiting = new WaitingEntries();
  private state: 'idle' | 'turning' | 'resting' | 'firing' = 'idle';
  private firing: FiringTimer | undefined;
  readonly live = new RunningLive();
  /** Its place beside the other runs of the process; undefined where there are none. */
  readonly step: StepOfRun | undefined;
  private readonly turns: ReactionTurns;
  private restTimer: NodeJS.Timeout | undefined;
  private isHolding = true;
  readonly beforeRun: TimeBeforeRun;
  readonly reached: ReachedEvents;
  private readonly idle: IdleBeforeRun | undefined;
  private reachedUs = 0;
  private lastRecorded: Crossing | undefined;
  private readonly ways: ReleaseWays;

  constructor(timeline: RecordedTimeline, options: ReleaseScheduleOptions = {}) {
    this.timeline = timeline;
    this.reached = new ReachedEvents(timeline);
    this.clock = options.clock ?? new RunClock(0n);
    this.pace = options.pace ?? 'virtual';
    this.idle = this.pace === 'virtual' ? options.idle : undefined;
    this.beforeRun = new TimeBeforeRun({ clock: this.clock, heap: this.waiting, toCome: options.setUp });
    this.rules = new TimerRules({ ...options, timeline });
    this.turns = new ReactionTurns({
      reacted: () => this.releaseNext(),
      // Whether a timer may fire depends on how long nothing has happened, too.
      mayGoOnWhenQuiet: () => this.waiting.firstWaiting()?.timer === undefined && !this.isTimeReal(),
      // One part of an answer overtakes nothing but what follows it.
      mayOvertake: () => this.lastRecorded === undefined || this.waiting.firstWaiting()?.recorded !== this.lastRecorded,
      isQuiet: options.isQuiet,
    });
    this.step = options.joinOthers?.(this);
    this.ways = {
      timeline,
      isOrderAlone: () => this.pace === 'virtual' && !this.live.isAny,
      firstWaiting: () => this.waiting.firstWaiting(),
      gave: (timeUs) => {
        this.reachedUs = Math.max(this.reachedUs, timeUs);
        this.happenedAt(timeUs);
      },
      givenButEnd: (recorded) => this.reached.givenButEnd(recorded),
      settled: (recorded) => this.advance(recorded),
      wait: (timeUs, handing) => this.wait(timeUs, handing),
    };
  }

  /** Recorded time of the latest thing that has happened, in microseconds since the run started. */
  get nowUs(): number {
    return this.reachedUs;
  }

  /**
   * The agent's code has entered the run, or a part of it that another service asked for: from now on time is virtual. `endUs`: when
   * the last thing of it was recorded to happen; default that of the whole run.
   */
  enterRun(run: Crossing, endUs?: number): void {
    const isFirst = !this.rules.isEntered;
    this.rules.enter(run, endUs);
    const startUs = this.timeline.startUs(run);
    if (isFirst) {
      const movedUs = this.beforeRun.enter(startUs);
      this.waiting.change((entry) => {
        // What the set-up still waits for keeps its recorded time.
        if (entry.timer !== undefined) entry.timeUs = this.rules.timerUs(entry.timer, entry.timeUs + movedUs);
      });
    } else this.happenedAt(startUs);
    this.changePace();
    // A timer that was set before holds the process from now on where the run went on beyond it.
    this.rehold();
  }

  /** A recorded call was made; `runs`: its code runs again. */
  made(recorded: Crossing, runs: boolean): void {
    this.rules.expected?.made(recorded, runs);
    this.beforeRun.made(recorded);
    this.idle?.happened();
    if (runs) this.rules.ends.made(recorded, this.timeline.endOrder(recorded));
    this.happenedAt(this.timeline.startUs(recorded));
    this.lookAgain();
    this.step?.moved();
  }

  /** A call has begun below this crossing, and is made once all of it is known. What comes while it is read goes on. Gives what it may be. */
  begun(parentSpanId: string, boundary: Pick<Crossing, 'kind' | 'name'>): Crossing | undefined {
    const recorded = this.rules.expected?.begun(parentSpanId, boundary);
    if (recorded === undefined) return undefined;
    this.rules.ends.made(recorded, this.timeline.endOrder(recorded));
    this.happenedAt(this.timeline.startUs(recorded));
    this.lookAgain();
    this.step?.moved();
    return recorded;
  }

  /** The agent does now what was recorded to happen at this time; what is recorded to come before is still to come. */
  happenedAt(timeUs: number): void {
    this.rules.somethingHappened();
    if (!this.rules.isEntered) this.beforeRun.leap(timeUs);
    if (this.isTimeReal()) return;
    this.clock.happened(timeUs);
    const { first } = this.waiting;
    this.clock.reach(Math.min(timeUs, first?.timeUs ?? timeUs, this.rules.expected?.earliestUs ?? timeUs), timeUs);
  }

  /** Where the run stands, or the set-up before it. */
  private get orderUs(): number {
    return this.beforeRun.orderUs;
  }

  /** A crossing whose code ran has ended, and with it the run where it was one that was entered. */
  ended(recorded: Crossing): void {
    this.rules.expected?.ended(recorded);
    this.rules.ends.ended(recorded);
    this.rules.end(recorded);
    this.advance(recorded);
    this.rehold();
    this.lookAgain();
    this.step?.moved();
  }

  /** A crossing has begun to run live. */
  began(recorded: Crossing): void {
    this.live.began(recorded, this.timeline.settledUs(recorded));
    this.changePace();
  }

  /** A crossing that had begun to run is served after all. */
  served(recorded: Crossing): void {
    if (this.live.ended(recorded)) this.changePace();
  }

  /** A crossing that nobody recorded has begun to run live; call the result when it has ended. */
  beganUnrecorded(): () => void {
    const ended = this.live.beganUnrecorded();
    this.changePace();
    return () => {
      ended();
      this.changePace();
    };
  }

  /** A served crossing has ended for the agent, which has its outcome or wants no more of it. */
  over(recorded: Crossing): void {
    this.reached.ended(recorded);
    this.rules.ends.ended(recorded);
    this.lookAgain();
  }

  /** Moves recorded time on: a crossing ended outside the schedule, live or synchronously. */
  advance(recorded: Crossing): void {
    const settledUs = this.timeline.settledUs(recorded);
    const wasRunning = this.live.ended(recorded);
    this.reached.ended(recorded);
    if (Number.isFinite(settledUs)) {
      this.reachedUs = Math.max(this.reachedUs, settledUs);
      this.happenedAt(settledUs);
    }
    if (wasRunning) this.changePace();
  }

  /** The release of one served crossing; `onFirst` is told when the agent is given the first part of its outcome. */
  releaseOf(recorded: Crossing, onFirst: () => void): Release {
    if (!isSynchronous(recorded.call)) this.rules.ends.made(recorded, this.timeline.endOrder(recorded));
    return recordedRelease(recorded, this.ways, onFirst);
  }

  private wait(timeUs: number, handing: Handing): Promise<undefined> {
    const { recorded, tell, isFromSocket, isWithPrevious } = handing;
    const tie = recorded.settled ?? Number.MAX_SAFE_INTEGER;
    return new Promise((resolve) => {
      const patienceEndsMs = runningMs() + (timeUs - this.timeline.startUs(recorded)) / 1_000;
      const release = (): void => {
        tell();
        if (isFromSocket) pristine.nextTick(resolve, undefined);
        else resolve(undefined);
      };
      this.push({ timeUs, readUs: timeUs, tie, added: 0, release, patienceEndsMs, recorded, isWithPrevious });
    });
  }

  /** Sets a timer of the agent's to fire after a delay of virtual time, or where it fired when the run was recorded. */
  arm(options: TimerOptions): ArmedTimer {
    const delayUs = options.delayMs * 1_000;
    const timer = this.rules.place(options, this.orderUs);
    const dueUs = this.orderUs + delayUs;
    const entry: ScheduleEntry = {
      timeUs: this.rules.isEntered ? this.rules.timerUs(timer, dueUs) : this.beforeRun.placeOf(dueUs, timer),
      readUs: this.clock.readUs + delayUs,
      tie: tieOf(options.recorded),
      added: 0,
      release: () => this.fire(entry, timer, options.fire),
      patienceEndsMs: 0,
      timer,
    };
    this.push(entry);
    return {
      cancel: () => this.cancel(timer),
      hold: (isHolding) => {
        if (timer.isOver || timer.isHolding === isHolding) return;
        this.waiting.hold(timer, isHolding);
        this.rehold();
      },
    };
  }

  private fire(entry: ScheduleEntry, timer: TimerPlace, fire: TimerOptions['fire']): void {
    const firing = new FiringTimer(timer, entry.timeUs);
    this.state = 'firing';
    this.firing = firing;
    firing.takeBack = fire(() => {
      if (this.firing !== firing) return;
      this.reached.fired(timer.recorded);
      this.clock.reach(this.beforeRun.onClock(entry.timeUs), entry.readUs);
      this.rules.somethingHappened();
      this.fired(timer);
    });
    // It begins when the others have come there, too.
    if (this.firing?.sharedUs !== undefined) this.step?.paused();
  }

  /** Goes on, while what a timer was set with is called or after that was taken back: what it throws is the agent's. */
  private fired(timer: TimerPlace): void {
    this.firing = undefined;
    this.waiting.over(timer);
    this.turn();
  }

  /** Resolves when a time of the recording has come, by the rules for timers of the agent's; never where the replay is over before. */
  dueAt(timeUs: number): Promise<void> {
    const delayMs = Math.max(timeUs - this.orderUs, 0) / 1_000;
    return new Promise((resolve) => {
      const call = { self: this, callback: () => resolve(), parameters: [] };
      this.arm({ delayMs, isHolding: true, deliveredUs: timeUs, fire: (began) => callAtOnce(call, began) });
    });
  }

  /** Drops the timers that are left, when the replay is over. Work that has not begun goes on as it would have. */
  dropTimers(): void {
    const dropped = this.waiting.dropTimers();
    if (this.firing !== undefined) this.cancel(this.firing.timer);
    this.rehold();
    for (const timer of dropped) if (!timer.isOver) timer.dropped?.();
  }

  /** Whether work that came after this has begun, and is waited for. */
  isBesideWorkAfter(work: RecordedTimer): boolean {
    return this.firing?.isWorkAfter(work) === true;
  }

  private cancel(timer: TimerPlace): void {
    if (timer.isOver) return;
    if (this.firing?.timer === timer) {
      this.firing.takeBack?.();
      this.fired(timer);
      return;
    }
    this.waiting.cancel(timer);
    this.rehold();
  }

  private push(entry: ScheduleEntry): void {
    this.waiting.add(entry);
    this.rules.somethingHappened();
    this.wake();
    this.rehold();
  }

  /** Whether something recorded is still to be given to the agent, or something runs live. */
  get isUnderWay(): boolean {
    return this.waiting.hasRecorded || this.live.isAny;
  }

  private isTimeReal(): boolean {
    return this.pace === 'recorded' || !this.rules.isEntered || this.live.isAny;
  }

  private changePace(): void {
    this.clock.runReal(this.isTimeReal());
    this.wake();
  }

  /** Something has changed: a new entry, or a live crossing that began or ended. */
  private wake(): void {
    if (this.state !== 'turning' && this.state !== 'firing') this.turn();
  }

  /** What is waited for may have happened. */
  lookAgain(): void {
    if (this.state === 'resting') this.wake();
  }

  private turn(): void {
    if (this.restTimer !== undefined) pristine.clearTimeout(this.restTimer);
    this.restTimer = undefined;
    this.state = 'turning';
    this.isHolding = this.holdsProcess();
    this.turns.begin(this.isHolding);
  }

  private rest(restMs: number): void {
    this.state = 'resting';
    this.isHolding = this.holdsProcess();
    this.restTimer = pristine.setTimeout(() => this.wake(), Math.min(Math.max(restMs, 1), realTimerMsMax));
    if (!this.isHolding) this.restTimer.unref();
    this.step?.paused();
  }

  /** See `RunInStep`. */
  get isReacting(): boolean {
    return this.state === 'turning' || (this.state === 'firing' && this.firing?.sharedUs === undefined);
  }

  /** See `RunInStep`. */
  get nextUs(): number | undefined {
    const waitingUs = this.firing?.sharedUs ?? this.waiting.earliest(isInStep)?.timeUs;
    const setUpUs = this.rules.isEntered ? undefined : this.beforeRun.nextUs;
    return setUpUs === undefined ? waitingUs : Math.min(setUpUs, waitingUs ?? setUpUs);
  }

  /** See `RunInStep`. */
  goOn(): void {
    if (this.state !== 'resting') return;
    pristine.clearTimeout(this.restTimer);
    this.restTimer = undefined;
    this.releaseNext();
  }

  /** Whether the process has to stay for what waits here. */
  holdsProcess(): boolean {
    if (this.waiting.holdsProcess) return true;
    const { first } = this.waiting;
    const keeps = ({ timer, timeUs }: ScheduleEntry) => timer !== undefined && this.rules.keptProcess(timer, timeUs);
    if (first?.timer?.recorded?.hasFired !== false) return first !== undefined && keeps(first);
    return this.waiting.some((entry) => entry.timer?.isOver === false && keeps(entry));
  }

  private rehold(): void {
    const isHolding = this.holdsProcess();
    if (this.state === 'idle' || this.state === 'firing' || isHolding === this.isHolding) return;
    this.isHolding = isHolding;
    if (this.state === 'turning') this.turns.hold(isHolding);
    else this.wake();
  }

  private releaseNext(): void {
    const entry = this.waiting.firstWaiting();
    if (entry === undefined) {
      this.state = 'idle';
      this.beforeRun.restsIdle();
      this.step?.paused();
      return;
    }
    const ownMs = this.restMsOf(entry);
    const waitsForOthers = isInStep(entry) || isUnfired(entry) || this.rules.isBeyond(entry);
    const besideMs = this.step?.restMs(ownMs > 0 || !waitsForOthers ? undefined : entry.timeUs) ?? 0;
    const restMs = Math.max(ownMs, besideMs);
    if (restMs > 0) {
      if (!this.leapsToSetUp(restMs, entry.timeUs)) this.rest(restMs);
      return;
    }
    let last: ScheduleEntry | undefined;
    for (let next: ScheduleEntry | undefined = entry; next !== undefined; next = this.waiting.firstWaiting()) {
      if (last !== undefined && !cameWith(next, last)) return;
      this.waiting.pop();
      this.release(next);
      last = next;
    }
  }

  /** Whether time leaps to the next call of the set-up, or that is waited for. All that could go on waits: the first, which comes at `firstUs`, so long by itself. */
  private leapsToSetUp(restMs: number, firstUs: number): boolean {
    const nextUs = this.rules.isEntered || this.live.isAny ? undefined : this.beforeRun.nextUs;
    if (nextUs === undefined || (this.waiting.hasRecorded && firstUs < nextUs)) return false;
    const triesNext = this.beforeRun.triesNext();
    const besideMs = triesNext ? 0 : (this.step?.restMs(nextUs) ?? 0);
    const workMs = besideMs > 0 || triesNext ? besideMs : this.rules.restBesideWorkMs(restMs);
    const waitMs = workMs > 0 || triesNext ? workMs : this.beforeRun.restMs(this.rules.quietMs);
    if (waitMs > 0) this.rest(Math.min(waitMs, restMs));
    else {
      if (!triesNext) this.beforeRun.leapToNext(nextUs);
      this.turn();
    }
    return true;
  }

  private release(entry: ScheduleEntry): void {
    if (!this.rules.isEntered) this.beforeRun.pass(entry.timeUs, entry.timer);
    if (entry.timer !== undefined) {
      entry.release();
      return;
    }
    this.lastRecorded = entry.recorded;
    this.waiting.given();
    this.reachedUs = Math.max(this.reachedUs, entry.timeUs);
    this.clock.reach(entry.timeUs, entry.readUs);
    this.rules.somethingHappened();
    try {
      entry.release();
    } finally {
      this.turn();
    }
  }

  private restMsOf(entry: ScheduleEntry): number {
    const { timer, timeUs, patienceEndsMs } = entry;
    if (timer !== undefined) {
      const stands = !this.rules.isEntered && !this.live.isAny;
      const standingMs = stands ? this.beforeRun.timerRestMs(timeUs, timer, this.waiting.hasRecorded) : undefined;
      if (standingMs !== undefined) return standingMs;
      const realUs = this.isTimeReal() ? this.orderUs : undefined;
      const restMs = this.rules.restMsOf(timer, timeUs, realUs, this.live.isAny);
      return stands && restMs > 0 ? (this.idle?.restMs(restMs, this.waiting) ?? restMs) : restMs;
    }
    // Before the run there is nothing to be in time for.
    if (this.pace === 'recorded') return this.rules.isEntered ? (timeUs - this.clock.orderUs) / 1_000 : 0;
    if (this.live.holdsBack(timeUs)) return patienceEndsMs - runningMs();
    return this.rules.isEntered
      ? this.rules.restUntilReadyMs(entry, this.clock.orderUs)
      : this.beforeRun.answerRestMs(timeUs);
  }
}
