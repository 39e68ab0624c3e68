import { type Crossing, crossingLabel } from '../crossings/crossing.ts';

/** Name of the crossing that is the run of a process that has no agent boundary around its calls. */
export const PROCESS_RUN_NAME = 'process';

/** `kind:name` of that crossing. */
export const PROCESS_RUN_LABEL = `agent:${PROCESS_RUN_NAME}`;

/** Span ids of the crossings whose code started processes that were recorded inside them. */
export function startersOfProcesses(crossings: Iterable<Crossing>): ReadonlySet<string> {
  const starters = new Set<string>();
  for (const crossing of crossings) {
    const { parentSpanId } = crossing;
    if (parentSpanId !== undefined && crossingLabel(crossing) === PROCESS_RUN_LABEL) starters.add(parentSpanId);
  }
  return starters;
}
