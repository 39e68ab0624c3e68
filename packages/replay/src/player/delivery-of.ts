import type { Delivery } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';

/** When what was delivered inside a crossing is due, and where the crossing's end stands: before it, or before whatever handled it had ended. */
export function deliveryOf(
  recorded: Crossing,
  around: Crossing,
  { timeline, schedule }: { readonly timeline: RecordedTimeline; readonly schedule: ReleaseSchedule },
): Delivery {
  return {
    recorded,
    offsetUs: timeline.startUs(recorded) - timeline.startUs(around),
    due: () => schedule.dueAt(timeline.startUs(recorded)),
    isBehind: timeline.startUs(recorded) >= timeline.settledUs(around),
    isWaitedFor: recorded.outcome.type !== 'pending' && (recorded.settled ?? 0) < (around.settled ?? 0),
  };
}
