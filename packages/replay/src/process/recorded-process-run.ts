import { ATTR_REENACT_PROCESS_OCCURRENCE } from '@reenact/semconv/reenact';
import {
  type Crossing,
  canonicalJson,
  crossingLabel,
  PROCESS_RUN_LABEL,
  payloadTree,
  type Recording,
} from '@reenact/trace-model';

/**
 * What the run of a process enclosed when it was recorded. `calls`: those that stand in no run of their own. `everything`: these
 * runs, too, because the process itself was started inside a run. `none`: there was no such run.
 */
export type ProcessRunScope = 'none' | 'calls' | 'everything';

function childrenOf({ crossings }: Recording, spanId: string): Crossing[] {
  return crossings.filter(({ parentSpanId }) => parentSpanId === spanId);
}

function isProcessRun(crossing: Crossing): boolean {
  return crossingLabel(crossing) === PROCESS_RUN_LABEL;
}

/**
 * Whether a process of a replay opens the run of its process again: where nobody recorded one, it would be a crossing too many.
 * `cursor`: where the process was started; undefined for the command of the replay, which enters `root`.
 */
export function recordedProcessRun(recording: Recording, root: Crossing, cursor: string | undefined): ProcessRunScope {
  if (cursor !== undefined) return childrenOf(recording, cursor).some(isProcessRun) ? 'everything' : 'none';
  if (!isProcessRun(root)) return 'none';
  const enclosesRuns = childrenOf(recording, root.spanId).some(
    (crossing) => crossing.kind === 'agent' && !isProcessRun(crossing),
  );
  return enclosesRuns ? 'everything' : 'calls';
}

/** Tells whether a recorded run is of a process that is the same one of its likes: the second of two that were started alike. */
export function isOccurrence(occurrence: number | undefined): (recorded: Crossing) => boolean {
  return ({ attributes }) =>
    occurrence !== undefined && Number(attributes.get(ATTR_REENACT_PROCESS_OCCURRENCE)) === occurrence;
}

/** How a process was started, as far as it tells its recorded run from others. */
export interface ProcessStart {
  /** What stands after the script. */
  readonly typed: readonly string[];
  /** Which of its likes it is, from 1; undefined where it was not told. */
  readonly occurrence: number | undefined;
  /** The number that it had, as who started it knows; undefined where that said none. */
  readonly processId: number | undefined;
}

function wasTyped({ input }: Crossing, typed: readonly string[]): boolean {
  return input?.data !== undefined && canonicalJson(payloadTree(input)) === canonicalJson(typed);
}

/** Another of those that were started alike: it made no call when it was recorded, and has no recorded run. */
function isOfAnother({ typed, occurrence }: ProcessStart, recorded: Crossing): boolean {
  const isNumbered = occurrence !== undefined && recorded.attributes.has(ATTR_REENACT_PROCESS_OCCURRENCE);
  return isNumbered && wasTyped(recorded, typed) && !isOccurrence(occurrence)(recorded);
}

/** The recorded run of this very process, where there is no doubt which it is before it is opened: draws come before calls. */
export function certainProcessRun(
  recording: Recording,
  cursor: string | undefined,
  start: ProcessStart,
): Crossing | undefined {
  if (cursor === undefined) return undefined;
  const all = childrenOf(recording, cursor).filter(isProcessRun);
  const alike = all.filter(isOccurrence(start.occurrence)).filter((recorded) => wasTyped(recorded, start.typed));
  if (alike.length === 1) return alike[0];
  const { processId } = start;
  const [only, ...others] = all.filter((recorded) =>
    processId === undefined ? !isOfAnother(start, recorded) : recorded.processId === processId,
  );
  return others.length === 0 && (processId !== undefined || all.length === 1) ? only : undefined;
}

/** Whether a recorded run encloses nothing: it tells that its process was started and how it ended. */
function isQuiet(recording: Recording, run: Crossing): boolean {
  return childrenOf(recording, run.spanId).length === 0;
}

/**
 * Whether a process of a replay that makes no call opens its run as it ends. `own`: its recorded run, where there is no doubt which it is; else, where
 * code that runs again has started it (`isOfCode`), it may be one of those that made none, started with other words.
 */
export function opensRunAtEnd(
  recording: Recording,
  cursor: string | undefined,
  own: Crossing | undefined,
  isOfCode: boolean,
): boolean {
  if (own !== undefined) return isQuiet(recording, own);
  if (cursor === undefined || !isOfCode) return false;
  return childrenOf(recording, cursor).some((crossing) => isProcessRun(crossing) && isQuiet(recording, crossing));
}
