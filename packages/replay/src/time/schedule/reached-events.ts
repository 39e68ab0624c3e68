import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import type { RecordedTimer } from '../recorded/timer-place.ts';

/** How many events have been numbered by now, outcomes that reached the agent and timers that fired: those of a run, and those of its process outside of it, each for themselves. */
export class ReachedEvents {
  private readonly timeline: RecordedTimeline;
  private ofRun = 0;
  private ofProcess = 0;
  private readonly ending = new Set<number>();

  constructor(timeline: RecordedTimeline) {
    this.timeline = timeline;
  }

  /** How many of the process outside of the run, or else of the run. */
  count(isOutside: boolean): number {
    return isOutside ? this.ofProcess : this.ofRun;
  }

  /** All of a crossing has been given to the agent but that it is over. */
  givenButEnd(crossing: Crossing): void {
    const order = this.timeline.isOfRun(crossing.spanId) ? this.timeline.endOrder(crossing) : undefined;
    if (order !== undefined) this.ending.add(order);
  }

  /**
   * Whether this event of the run is the end of a crossing of which the agent has everything else. A reader that leaves with the last part is told of no end. It
   * goes on before that end has come here; when the run was recorded, both came at once.
   */
  isEnding(order: number): boolean {
    return this.ending.has(order);
  }

  /** A crossing has ended for the agent. */
  ended(crossing: Crossing): void {
    const isOutside = !this.timeline.isOfRun(crossing.spanId);
    this.reach(isOutside ? crossing.settled : this.timeline.endOrder(crossing), isOutside);
  }

  /** A timer fires, which may be known from the recording. */
  fired(recorded: RecordedTimer | undefined): void {
    if (recorded?.hasFired === true) this.reach(recorded.order, recorded.isOutside === true);
  }

  private reach(order: number | undefined, isOutside: boolean): void {
    if (order === undefined) return;
    if (isOutside) this.ofProcess = Math.max(this.ofProcess, order + 1);
    else this.ofRun = Math.max(this.ofRun, order + 1);
  }
}
