import { type Position, raiseSignal } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { IDLE_MS_MAX } from '../limits.ts';
import type { RecordedTimeline } from '../recorded/recorded-timeline.ts';
import type { ReleaseSchedule } from '../time/release-schedule.ts';
import type { LookUp } from './look-up.ts';
import type { RaisedSignals } from './raised-signals.ts';
import type { RecordingEnd } from './recording-end.ts';

/** What signals of a run are raised by. */
export interface RecordedSignalsOptions {
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly timeline: RecordedTimeline;
  readonly sink: EventSink;
  /** See `RecordedPlayerOptions`. */
  readonly raisedSignals?: RaisedSignals | undefined;
  /** What ends the process, as a signal does that nobody listens for; undefined where the run is not the program of this process. */
  readonly end: () => Pick<RecordingEnd, 'endProcess'> | undefined;
}

/** Raises the signals that were recorded inside a run, each at its place in the order of the run's events (docs/adr/0043). */
export class RecordedSignals {
  private readonly options: RecordedSignalsOptions;

  constructor(options: RecordedSignalsOptions) {
    this.options = options;
  }

  /** The code of a crossing runs again, at `position`: what was signalled while it went on is due now. */
  entered(around: Crossing, position: Position): void {
    for (const signal of this.options.lookUp.signalsUnder(around.spanId)) {
      this.options.raisedSignals?.expect(signal);
      this.arm(signal, around, position);
    }
  }

  private arm(signal: Crossing, around: Crossing, position: Position): void {
    const { schedule, timeline, raisedSignals } = this.options;
    const timeUs = timeline.startUs(signal);
    const order = signal.settled ?? Number.MAX_SAFE_INTEGER;
    schedule.arm({
      // Counts only where time is real, as it is in processes that the run has started.
      delayMs: Math.min(Math.max((timeUs - timeline.startUs(around)) / 1_000, 1), IDLE_MS_MAX),
      // The recorded process was there.
      isHolding: true,
      recorded: { hasFired: true, timeUs, order },
      fire: (began) => {
        const raise = (isHanded: boolean): void => {
          began();
          this.raise(signal, position, isHanded);
        };
        if (raisedSignals !== undefined) return raisedSignals.due(signal, raise);
        raise(false);
        return () => undefined;
      },
    });
  }

  private raise(recorded: Crossing, position: Position, isHanded: boolean): void {
    if (this.options.lookUp.hasEndedRun) return;
    const { raisedSignals } = this.options;
    const signal = recorded.name as NodeJS.Signals;
    const end = this.options.end();
    const isHeard = process.listenerCount(signal) > 0;
    if (raisedSignals === undefined) this.note(recorded, 'others may use this process', true);
    else if (!isHeard && end === undefined) this.note(recorded, 'nobody listens for it here', true);
    else if (!isHeard) {
      const why = 'nobody listens for it any more: it would have ended the process, which was stopped there';
      this.note(recorded, why, false);
      end?.endProcess();
      return;
    }
    raiseSignal({ signal, position, isHanded: isHanded && isHeard });
  }

  private note({ name, path }: Crossing, why: string, unverified: boolean): void {
    const text = `${name} reached the program when this was recorded. It was not raised in the replay, because ${why}.`;
    this.options.sink.write({ type: 'note', text, path, unverified });
  }
}
