import { type Crossing, crossingLabel } from '../crossings/crossing.ts';

/** Name of the crossing that is the run of a process that has no agent boundary around its calls. */
export const PROCESS_RUN_NAME = 'process';

/** `kind:name` of that crossing. */
export const PROCESS_RUN_LABEL = `agent:${PROCESS_RUN_NAME}`;

/** A process by its number, among those that stand beside each other. */
function placeOf({ parentSpanId }: Crossing, processId: number | undefined): string {
  return `${parentSpanId} ${processId}`;
}

/**
 * Span ids of the crossings whose code started processes that were recorded inside them, or, of a process that made no call and only started
 * another one, beside it: the other one says by its number who started it.
 */
export function startersOfProcesses(crossings: Iterable<Crossing>): ReadonlySet<string> {
  const starters = new Set<string>();
  const enclosing = new Set<string>();
  const processes: Crossing[] = [];
  for (const crossing of crossings) {
    const { parentSpanId } = crossing;
    if (parentSpanId === undefined) continue;
    enclosing.add(parentSpanId);
    if (crossingLabel(crossing) !== PROCESS_RUN_LABEL) continue;
    starters.add(parentSpanId);
    processes.push(crossing);
  }
  const startersByNumber = new Set(processes.map((started) => placeOf(started, started.parentProcessId)));
  for (const run of processes) {
    const isNamed = run.processId !== undefined && startersByNumber.has(placeOf(run, run.processId));
    if (isNamed && !enclosing.has(run.spanId)) starters.add(run.spanId);
  }
  return starters;
}
