import { PatchSet } from '@reenact/instrumentation';
import {
  type Crossing,
  inputPiecesOf,
  isInputBefore,
  isInputDelivery,
  isSentAgain,
  type Recording,
} from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import type { EventSink } from '../events/event-sink.ts';
import { GivenInput } from '../input/given-input.ts';
import { InputBeforeRuns, type PieceBefore, type RunToBegin } from '../input/input-before-runs.ts';
import { patchInput } from '../input/patch-input.ts';
import { showAsTerminal } from '../input/show-as-terminal.ts';
import type { RecordedPlayer } from '../player/recorded-player.ts';

const STDIN = 0;

interface RecordedRun {
  readonly recording: Recording;
  readonly root: Crossing;
}

/** The replayed run and those of its process, in their recorded order; the run of the process, which is around them, first. */
function runsInOrder(recording: Recording, root: Crossing): readonly RecordedRun[] {
  const { place, runs } = runsBesideOf(recording, root.spanId);
  return [...runs, { place, recording, root }].sort((left, right) => left.place - right.place);
}

/** What the program of this process was given of its standard input, in the replayed run and those before; undefined where nothing of it was recorded. */
export function givenInputOf(recording: Recording, root: Crossing): GivenInput | undefined {
  // A request is sent again whatever the program reads beside it.
  if (isSentAgain(root)) return undefined;
  const pieces = runsInOrder(recording, root).flatMap((run) =>
    run.recording.crossings.filter(isInputDelivery).flatMap(inputPiecesOf),
  );
  return pieces.length === 0 ? undefined : new GivenInput(pieces);
}

const OTHER_INPUT =
  'The program is given the standard input that was recorded. The file that was handed to the replay is not read; to try another input, enter the run by its function (--entry).';

/** Whether somebody has handed a file to this process. */
function isOtherInput(): boolean {
  const { fstatSync } = process.getBuiltinModule('node:fs');
  try {
    const input = fstatSync(STDIN);
    return input.isFile() && input.size > 0;
  } catch {
    // It is closed.
    return false;
  }
}

/** What gives the program its recorded input. */
export interface JoinInputOptions {
  /** Absent where nothing was recorded. */
  readonly givenInput?: GivenInput | undefined;
  /** Answers the replayed run. */
  readonly player: RecordedPlayer;
  readonly root: Crossing;
  readonly sink: EventSink;
  /** How many runs beside the replayed one go on. */
  readonly openRuns: { readonly count: number };
  /** Told where the program waits for input that was not recorded, and has not got to its run. */
  readonly starved: () => void;
  /** Ends the process: what it goes on to do is no part of the replay. */
  readonly stopProcess: () => void;
}

/** What came before a run, and how long after what had happened last outside of runs. `earlier`: the runs before it. */
function piecesBefore({ recording, root }: RecordedRun, earlier: readonly RecordedRun[]): readonly PieceBefore[] {
  const inside = recording.crossings.filter(({ parentSpanId }) => parentSpanId === root.spanId);
  const ends = earlier.map((run) => Number(run.root.endTimeUnixNano / 1_000_000n));
  const pieces = inside.filter(isInputBefore).flatMap(inputPiecesOf);
  return pieces.map((piece, index) => {
    const { timeMs = 0, uptimeMs = 0 } = piece;
    const before = [timeMs - uptimeMs, pieces[index - 1]?.timeMs ?? 0, ...ends.filter((endMs) => endMs <= timeMs)];
    return { piece, afterMs: timeMs - Math.max(...before) };
  });
}

/**
 * Gives the program of this process the standard input that was recorded, from now on. Gives who is to be told of each run that begins, by the span id of its
 * root.
 */
export function joinInput(options: JoinInputOptions): (rootSpanId: string) => void {
  const { givenInput: given, player, root, openRuns, stopProcess, sink } = options;
  if (given === undefined) return () => undefined;
  const patches = new PatchSet();
  patchInput(patches, given);
  patches.publish();
  if (given.isShown) showAsTerminal();
  if (isOtherInput()) sink.write({ type: 'note', text: OTHER_INPUT, unverified: false });
  const begun = new Set<string>();
  const { lookUp, schedule } = player;
  const runs = runsInOrder(player.recording, root).map((run, index, all): RunToBegin => {
    const { spanId } = run.root;
    const hasBegun = (): boolean => begun.has(spanId) || (run.root === root && lookUp.rootMet);
    return { pieces: piecesBefore(run, all.slice(0, index)), hasBegun };
  });
  const isGoingOn = (): boolean => lookUp.rootMet && !lookUp.hasEndedRun;
  let isOver = false;
  const isLeftWaiting = (): void => {
    if (isOver) return;
    if (!lookUp.hasEndedRun) {
      options.starved();
      return;
    }
    isOver = true;
    const text = `After ${root.path} had ended the program waited for more of its standard input, which no run of the recording holds: it was stopped there.`;
    sink.write({ type: 'note', text, unverified: false });
    stopProcess();
  };
  new InputBeforeRuns({
    given,
    runs,
    isBusy: () => openRuns.count > 0 || isGoingOn() || schedule.isUnderWay,
    hasTimers: () => schedule.holdsProcess(),
    isLeftWaiting,
  });
  return (rootSpanId) => void begun.add(rootSpanId);
}
