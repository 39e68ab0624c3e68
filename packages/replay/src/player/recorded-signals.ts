import { expectSignal, type Position, raiseSignal } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import type { Crossing, Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import { armMessage } from './arm-message.ts';
import type { LookUp } from './look-up.ts';
import type { RaisedMessages } from './raised-messages.ts';
import type { RecordingEnd } from './recording-end.ts';
import { isSentByRun } from './sent-signals.ts';

/** What signals of a run are raised by. */
export interface RecordedSignalsOptions {
  readonly recording: Recording;
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly timeline: RecordedTimeline;
  readonly sink: EventSink;
  /** See `RecordedPlayerOptions`. */
  readonly raisedMessages?: RaisedMessages | undefined;
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
    const { recording, lookUp, schedule, timeline, raisedMessages: raised } = this.options;
    for (const message of lookUp.signalsUnder(around.spanId)) {
      if (raised !== undefined && isSentByRun(recording, message)) {
        const { name, startTimeUnixNano } = message;
        expectSignal({ signal: name as NodeJS.Signals, position, startUnixNano: startTimeUnixNano });
        continue;
      }
      const raise = (isHanded: boolean): void => this.raise(message, position, isHanded);
      armMessage({ schedule, timeline, raised, message, around, raise });
    }
  }

  private raise(recorded: Crossing, position: Position, isHanded: boolean): void {
    if (this.options.lookUp.hasEndedRun) return;
    const { raisedMessages } = this.options;
    const signal = recorded.name as NodeJS.Signals;
    const end = this.options.end();
    const isHeard = process.listenerCount(signal) > 0;
    if (raisedMessages === undefined) this.note(recorded, 'others may use this process', true);
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
