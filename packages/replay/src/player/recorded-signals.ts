import { type Position, raiseSignal } from '@reenact/instrumentation';
import type { Crossing } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { RecordedTimeline } from '../recorded/recorded-timeline.ts';
import { callAtOnce } from '../time/call-timer.ts';
import type { ReleaseSchedule } from '../time/release-schedule.ts';
import type { RunClock } from '../time/run-clock.ts';
import type { LookUp } from './look-up.ts';
import type { RaisedSignals } from './raised-signals.ts';
import type { RecordingEnd } from './recording-end.ts';

/** What signals of a run are raised by. */
export interface RecordedSignalsOptions {
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly timeline: RecordedTimeline;
  readonly clock: RunClock;
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
  entered({ spanId }: Crossing, position: Position): void {
    for (const signal of this.options.lookUp.signalsUnder(spanId)) this.arm(signal, position);
  }

  private arm(signal: Crossing, position: Position): void {
    const { schedule, timeline, clock } = this.options;
    const timeUs = timeline.startUs(signal);
    const order = signal.settled ?? Number.MAX_SAFE_INTEGER;
    const call = { self: this, callback: () => this.raise(signal, position), parameters: [] };
    schedule.arm({
      delayMs: Math.max(timeUs - clock.orderUs, 0) / 1_000,
      // The recorded process was there, and so this one stays; beyond that a signal keeps nobody.
      isHolding: false,
      fire: (began) => callAtOnce(call, began),
      recorded: { hasFired: true, timeUs, order },
    });
  }

  private raise(recorded: Crossing, position: Position): void {
    const { lookUp, raisedSignals: raised } = this.options;
    if (lookUp.hasEndedRun) return;
    const signal = recorded.name as NodeJS.Signals;
    const end = this.options.end();
    const isHeard = process.listenerCount(signal) > 0;
    if (raised === undefined || (!isHeard && end === undefined)) {
      this.note(recorded, raised === undefined ? 'others may use this process' : 'nobody listens for it here', true);
      raiseSignal({ signal, position, isHanded: false });
    } else if (isHeard) raiseSignal({ signal, position, isHanded: raised.take(recorded) });
    else {
      this.note(
        recorded,
        'nobody listens for it any more: it would have ended the process, which was stopped there',
        false,
      );
      end?.endProcess();
    }
  }

  private note({ name, path }: Crossing, why: string, unverified: boolean): void {
    const text = `${name} reached the program when this was recorded. It was not raised in the replay, because ${why}.`;
    this.options.sink.write({ type: 'note', text, path, unverified });
  }
}
