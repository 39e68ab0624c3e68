import type { Delivery } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import type { ReleaseSchedule } from '../time/release-schedule.ts';

/** When what was delivered inside a crossing is due, and whether the crossing ended before whatever handled it had. */
export function deliveryOf(
  recorded: Crossing,
  around: Crossing,
  { timeline, schedule }: { readonly timeline: RecordedTimeline; readonly schedule: ReleaseSchedule },
): Delivery {
  return {
    recorded,
    offsetUs: timeline.startUs(recorded) - timeline.startUs(around),
    due: () => schedule.dueAt(timeline.startUs(recorded)),
    isWaitedFor: recorded.outcome.type !== 'pending' && (recorded.settled ?? 0) < (around.settled ?? 0),
  };
}
