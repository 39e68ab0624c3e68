import type { TimerPlace } from '../recorded/timer-place.ts';
import { OrderedHeap } from './ordered-heap.ts';
import type { ScheduleEntry } from './schedule-entry.ts';

/** So many cancelled timers may stay in before they are taken out together. */
const CANCELLED_MAX = 64;

/** What waits in a schedule: recorded outcomes and timers, in order. A timer that was cancelled stays in until it is passed over, or there are many. */
export class WaitingEntries extends OrderedHeap<ScheduleEntry> {
  private added = 0;
  private recorded = 0;
  private holding = 0;
  private cancelled = 0;

  /** Whether a recorded outcome is still to be given to the agent. */
  get hasRecorded(): boolean {
    return this.recorded > 0;
  }

  /** Whether one of the entries has the process stay by itself. */
  get holdsProcess(): boolean {
    return this.recorded > 0 || this.holding > 0;
  }

  /** Adds an entry, behind those that stand at the same place. */
  add(entry: ScheduleEntry): void {
    this.added += 1;
    entry.added = this.added;
    if (entry.timer === undefined) this.recorded += 1;
    else if (entry.timer.isHolding) this.holding += 1;
    this.push(entry);
  }

  /** The first that is not cancelled, which stays in. */
  firstWaiting(): ScheduleEntry | undefined {
    for (;;) {
      const { first } = this;
      if (first?.timer?.isOver !== true) return first;
      this.pop();
      this.cancelled -= 1;
    }
  }

  /** A recorded outcome was taken out, to be given to the agent. */
  given(): void {
    this.recorded -= 1;
  }

  /** Has a timer hold the process, or hold it no more. */
  hold(timer: TimerPlace, isHolding: boolean): void {
    if (timer.isHolding === isHolding) return;
    timer.isHolding = isHolding;
    this.holding += isHolding ? 1 : -1;
  }

  /** A timer that was taken out has fired, or was taken back. */
  over(timer: TimerPlace): void {
    timer.isOver = true;
    if (timer.isHolding) this.holding -= 1;
  }

  /** Cancels a timer that is still in. A guard around each call is armed and cancelled thousands of times: what is dead must not pile up. */
  cancel(timer: TimerPlace): void {
    this.over(timer);
    this.cancelled += 1;
    if (this.cancelled <= CANCELLED_MAX || this.cancelled * 2 <= this.size) return;
    this.retain((entry) => entry.timer?.isOver !== true);
    this.cancelled = 0;
  }

  /** Takes out all timers. Gives them, those that were cancelled included. */
  dropTimers(): TimerPlace[] {
    const dropped: TimerPlace[] = [];
    this.retain(({ timer }) => timer === undefined || dropped.push(timer) === 0);
    for (const { isOver, isHolding } of dropped) if (!isOver && isHolding) this.holding -= 1;
    this.cancelled = 0;
    return dropped;
  }
}
