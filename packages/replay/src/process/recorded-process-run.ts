import { type Crossing, crossingLabel, PROCESS_RUN_LABEL, type Recording } from '@reenact/trace-model';

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

/** The recorded run of this very process, where there is no doubt which it is before it is opened: draws come before calls. */
export function certainProcessRun(recording: Recording, cursor: string | undefined): Crossing | undefined {
  if (cursor === undefined) return undefined;
  const [only, ...others] = childrenOf(recording, cursor).filter(isProcessRun);
  return others.length === 0 ? only : undefined;
}
