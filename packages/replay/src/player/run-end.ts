import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';

/** When the last thing of a run was recorded to happen, in microseconds since it started; a run may never have ended. */
export function runEndUs(timeline: RecordedTimeline, crossings: readonly Crossing[]): number {
  return crossings.reduce((latestUs, crossing) => {
    const settledUs = timeline.settledUs(crossing);
    return Math.max(latestUs, Number.isFinite(settledUs) ? settledUs : timeline.startUs(crossing));
  }, 0);
}
