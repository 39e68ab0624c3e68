import type { Crossing } from '@reenact/trace-model';

/** What of a run goes on for real. */
export class RunningLive {
  /** With the times at which they ended when they were recorded, microseconds since the run started. */
  private readonly recorded = new Map<Crossing, number>();
  private others = 0;

  /** Whether anything does. */
  get isAny(): boolean {
    return this.recorded.size > 0 || this.others > 0;
  }

  /** A recorded crossing has begun to run live. */
  began(recorded: Crossing, settledUs: number): void {
    this.recorded.set(recorded, settledUs);
  }

  /** It has ended, or does not run after all; gives whether it had begun. */
  ended(recorded: Crossing): boolean {
    return this.recorded.delete(recorded);
  }

  /** A crossing that nobody recorded has begun; call the result when it has ended. */
  beganUnrecorded(): () => void {
    this.others += 1;
    let isOver = false;
    return () => {
      if (!isOver) this.others -= 1;
      isOver = true;
    };
  }

  /** Whether one goes on that had ended before this time when it was recorded. */
  holdsBack(timeUs: number): boolean {
    for (const settledUs of this.recorded.values()) if (settledUs < timeUs) return true;
    return false;
  }
}
