import type { Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import type { GivenInput } from '../input/given-input.ts';
import type { Plan } from '../plan/plan-schema.ts';
import type { Pace } from '../time/schedule/pace.ts';
import type { RunsInStep } from '../time/schedule/runs-in-step.ts';
import type { ClaimProcessRun } from './find-unclaimed.ts';
import type { OpenRuns } from './open-runs.ts';
import type { RaisedMessages } from './raised-messages.ts';

/** What a player needs. */
export interface RecordedPlayerOptions {
  readonly recording: Recording;
  /** The crossing whose code runs again. */
  readonly rootSpanId: string;
  readonly plan: Plan;
  readonly replayId: string;
  /** dedicated: nothing without a position runs for real. */
  readonly process: 'dedicated' | 'shared';
  readonly sink: EventSink;
  /** Signs positions that travel to other processes of the replay; absent where none do. */
  readonly positionKey?: string | undefined;
  /** Absent where there is one process. */
  readonly claim?: ClaimProcessRun | undefined;
  /** Told of each answer, on the stack of the code that makes the call: the recorded crossing, where there is one. */
  readonly arrived?: ((recordedSpanId: string | undefined) => void) | undefined;
  /** See `Player.keepsNoRecording`. */
  readonly keepsNoRecording?: boolean | undefined;
  /** The root is one call, and answered like others. Default: its code runs again, as that of a run. */
  readonly servesRoot?: boolean | undefined;
  readonly openRuns?: OpenRuns | undefined;
  /** What keeps the runs of the process in step; one for all of them. Default: there are no others. */
  readonly inStep?: RunsInStep | undefined;
  /** Recordings of the same process, for a run beside the replayed one: see `RunTimeOptions`. */
  readonly beside?: readonly Recording[] | undefined;
  /** The standard input of this process, where it was recorded and nobody else reads it. */
  readonly givenInput?: GivenInput | undefined;
  /** Which signals and input came; one for all runs of a process. Absent where others use this process, too: none is raised then. */
  readonly raisedMessages?: RaisedMessages | undefined;
  /** recorded: what was recorded is released after the recorded delays. Default: without waiting. */
  readonly pace?: Pace | undefined;
}
