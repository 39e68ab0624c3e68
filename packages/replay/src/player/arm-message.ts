import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing } from '@reenact/trace-model';
import { IDLE_MS_MAX } from '../limits.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import type { RaisedMessages } from './raised-messages.ts';

/** A message of its process that a run is to be told of. */
export interface ArmedMessage {
  readonly schedule: ReleaseSchedule;
  readonly timeline: RecordedTimeline;
  /** Absent where others use this process, too. */
  readonly raised: RaisedMessages | undefined;
  readonly message: Crossing;
  /** The crossing whose code runs again. */
  readonly around: Crossing;
  /** `isHanded`: the program is to hear it, and not the run alone. */
  readonly raise: (isHanded: boolean) => void;
}

/** Has a message come at its place in the order of the run's events, by the rules for timers, once all runs that hold it have come there. */
export function armMessage({ schedule, timeline, raised, message, around, raise }: ArmedMessage): void {
  const timeUs = timeline.startUs(message);
  const order = message.settled ?? Number.MAX_SAFE_INTEGER;
  raised?.expect(message);
  schedule.arm({
    // Counts only where time is real, as it is in processes that the run has started.
    delayMs: Math.min(Math.max((timeUs - timeline.startUs(around)) / 1_000, 1), IDLE_MS_MAX),
    // The recorded process was there.
    isHolding: true,
    isShared: raised !== undefined,
    recorded: { hasFired: true, timeUs, order },
    fire: (began) => {
      const come = (isHanded: boolean): void => {
        began();
        raise(isHanded);
      };
      if (raised !== undefined) return raised.due(message, come);
      come(false);
      return () => undefined;
    },
  });
}
