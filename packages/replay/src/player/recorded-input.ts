import { type Position, raiseInput } from '@reenact/instrumentation';
import type { RecordedTimeline } from '@reenact/recordings';
import { type Crossing, inputPiecesOf, isInputBefore } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { GivenInput } from '../input/given-input.ts';
import type { ReleaseSchedule } from '../time/schedule/release-schedule.ts';
import { armMessage } from './arm-message.ts';
import type { LookUp } from './look-up.ts';
import type { RaisedMessages } from './raised-messages.ts';

/** What standard input of a run is given by. */
export interface RecordedInputOptions {
  readonly lookUp: LookUp;
  readonly schedule: ReleaseSchedule;
  readonly timeline: RecordedTimeline;
  readonly sink: EventSink;
  /** See `RecordedPlayerOptions`. */
  readonly raisedMessages?: RaisedMessages | undefined;
  readonly givenInput?: GivenInput | undefined;
}

/** Gives the program the standard input that was recorded inside a run, each piece at its place in the order of the run's events (docs/adr/0054). */
export class RecordedInput {
  private readonly options: RecordedInputOptions;

  constructor(options: RecordedInputOptions) {
    this.options = options;
  }

  /** The code of a crossing runs again, at `position`: what the process was given while it went on is due now. */
  entered(around: Crossing, position: Position): void {
    const { lookUp, schedule, timeline, raisedMessages: raised, givenInput } = this.options;
    for (const message of lookUp.inputUnder(around.spanId)) {
      if (isInputBefore(message)) {
        lookUp.leaveOut(message);
        continue;
      }
      const pieces = inputPiecesOf(message);
      const raise = (isHanded: boolean): void => {
        if (lookUp.hasEndedRun) return;
        if (givenInput === undefined) this.noteMissing(message);
        if (raiseInput({ pieces, position }) && isHanded) givenInput?.give(pieces);
      };
      // What is read like a file is there when the program reads it.
      if (givenInput !== undefined && pieces.every(({ isFile }) => isFile === true))
        for (const piece of pieces) givenInput.holdOut(piece, () => raise(false));
      else armMessage({ schedule, timeline, raised, message, around, raise });
    }
  }

  private noteMissing({ path }: Crossing): void {
    const text = `The program was given ${path} when this was recorded. It was not given it in the replay, because others may use this process.`;
    this.options.sink.write({ type: 'note', text, path, unverified: true });
  }
}
