import { pristine } from '@reenact/instrumentation';
import { RUN_TAIL_MS, TAIL_LOOK_MS, TAIL_REST_MS } from '../limits.ts';
import { RealWork } from '../time/schedule/real-work.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import type { LookUp } from './look-up.ts';

/** What tells how far a run is that has ended. */
export interface RunTailOptions {
  readonly lookUp: Pick<LookUp, 'hasLeft'>;
  readonly schedule: Pick<ReleaseSchedule, 'isUnderWay' | 'holdsProcess'>;
  /** Whether work outside JavaScript goes on. */
  readonly isWorking?: (() => boolean) | undefined;
  readonly nowMs?: (() => number) | undefined;
}

/**
 * What a run goes on to do after it has ended, in branches that nobody waits for. It is over a moment after everything recorded was
 * called and answered; or where nothing is under way any more that could lead to what was not called: no answer, no timer, no file.
 */
export class RunTail {
  private readonly options: RunTailOptions;
  private readonly isWorking: () => boolean;
  private readonly nowMs: () => number;
  private sinceMs: number | undefined;

  constructor(options: RunTailOptions) {
    this.options = options;
    this.nowMs = options.nowMs ?? pristine.performanceNow;
    const work = new RealWork();
    this.isWorking = options.isWorking ?? ((): boolean => work.isGoingOn());
  }

  /** Looks whether it is over; to be asked again and again. */
  isOver(): boolean {
    const { lookUp, schedule } = this.options;
    const { hasLeft } = lookUp;
    if (schedule.isUnderWay || this.isWorking() || (hasLeft && schedule.holdsProcess())) {
      this.sinceMs = undefined;
      return false;
    }
    this.sinceMs ??= this.nowMs();
    return this.nowMs() - this.sinceMs >= (hasLeft ? TAIL_REST_MS : RUN_TAIL_MS);
  }

  /** Resolves when it is over, or after this time. */
  async over(limitMs: number): Promise<void> {
    const untilMs = this.nowMs() + limitMs;
    while (!this.isOver() && this.nowMs() < untilMs) {
      await new Promise((resolve) => pristine.setTimeout(resolve, TAIL_LOOK_MS));
    }
  }
}
