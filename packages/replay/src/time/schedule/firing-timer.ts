import type { RecordedTimer, TimerPlace } from '../recorded/timer-place.ts';

/** The timer that the platform is about to call. */
export class FiringTimer {
  readonly timer: TimerPlace;
  /** When it comes that several runs have, and all of them come there first; undefined where it is of one run. */
  readonly sharedUs: number | undefined;
  /** Has the platform not call it after all; undefined until it was asked to. */
  takeBack: (() => void) | undefined;

  constructor(timer: TimerPlace, timeUs: number) {
    this.timer = timer;
    this.sharedUs = timer.isShared ? timeUs : undefined;
  }

  /** Whether it begins work that came after this: what begins meanwhile and came before it is a part of it. */
  isWorkAfter({ order, isOutside }: RecordedTimer): boolean {
    const { isWork, recorded } = this.timer;
    if (isWork !== true || recorded === undefined) return false;
    // The run and its process outside of it number each for themselves.
    return recorded.isOutside === isOutside && recorded.order > order;
  }
}
