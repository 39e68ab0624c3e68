import { type Crossing, isSentAgain } from '@reenact/trace-model';
import {
  IDLE_BEFORE_FIRED_MAX,
  IDLE_BEFORE_LOOK_MS,
  IDLE_BEFORE_LOOKS,
  IDLE_BEFORE_START_LOOKS,
} from '../../limits.ts';
import type { OrderedHeap } from './ordered-heap.ts';
import { RealWork } from './real-work.ts';
import type { ScheduleEntry } from './schedule-entry.ts';
import { runningMs } from './stopped-time.ts';

/** What idleness is told by. */
export interface IdleBeforeRunOptions {
  /** How many other runs of the process go on. */
  readonly openRuns: { readonly count: number };
  readonly realWork: Pick<RealWork, 'isGoingOn' | 'mayCome'>;
  /** Default: the real clock of `runningMs`. */
  readonly nowMs?: (() => number) | undefined;
}

/** What else may begin a run. */
export interface WhoBeginsRuns {
  /** Absent where others use the process, too. */
  readonly openRuns?: IdleBeforeRunOptions['openRuns'] | undefined;
  /** The standard input, where that was recorded. */
  readonly givenInput?: object | undefined;
}

/**
 * Whether a process whose run is still to begin waits for nothing but timers: then one of them begins it, as of a job that is done every hour, and the first
 * fires at once (docs/adr/0052). What takes real time is waited for, and so is a program that is still being loaded: it lets the event loop turn less often.
 */
export class IdleBeforeRun {
  private readonly options: IdleBeforeRunOptions;
  private looks = 0;
  private lookedMs = Number.NEGATIVE_INFINITY;
  private fired = 0;
  private hasStarted = false;

  constructor(options: IdleBeforeRunOptions) {
    this.options = options;
  }

  /** Undefined where no timer begins the run: it is asked for, or a line of input begins it. */
  static of(root: Crossing, { openRuns, givenInput }: WhoBeginsRuns): IdleBeforeRun | undefined {
    if (openRuns === undefined || givenInput !== undefined || isSentAgain(root)) return undefined;
    return new IdleBeforeRun({ openRuns, realWork: new RealWork() });
  }

  /** The process has made a call. */
  happened(): void {
    this.looks = 0;
    this.fired = 0;
  }

  /**
   * How many real milliseconds to wait until it is looked again; 0: the timer that is due next fires, and the others are so much nearer. `leftMs`: its real
   * delay.
   */
  restMs(leftMs: number, heap: OrderedHeap<ScheduleEntry>): number {
    if (this.isBusy()) this.happened();
    this.look();
    if (this.looks <= (this.hasStarted ? IDLE_BEFORE_LOOKS : IDLE_BEFORE_START_LOOKS))
      return Math.min(leftMs, IDLE_BEFORE_LOOK_MS);
    this.hasStarted = true;
    this.fired += 1;
    // One that only beats begins no run.
    if (this.fired > IDLE_BEFORE_FIRED_MAX) this.happened();
    heap.change((entry) => {
      if (entry.timer !== undefined) entry.timeUs -= leftMs * 1_000;
    });
    return 0;
  }

  /** Who sets timers, or has one beat, is asked about more often than it is looked. */
  private look(): void {
    const nowMs = (this.options.nowMs ?? runningMs)();
    if (nowMs - this.lookedMs < IDLE_BEFORE_LOOK_MS) return;
    this.lookedMs = nowMs;
    this.looks += 1;
  }

  private isBusy(): boolean {
    const { openRuns, realWork } = this.options;
    return openRuns.count > 0 || realWork.isGoingOn() || realWork.mayCome(true);
  }
}
