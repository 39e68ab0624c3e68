import { type Crossing, crossingLabel } from '../crossings/crossing.ts';

/** Name of the crossing that is the run of a process that has no agent boundary around its calls. */
export const PROCESS_RUN_NAME = 'process';

/** `kind:name` of that crossing. */
export const PROCESS_RUN_LABEL = `agent:${PROCESS_RUN_NAME}`;

/**
 * Span ids of the crossings whose code started processes that were recorded inside them, or, of a process that made no call and only started
 * another one, beside it.
 */
export function startersOfProcesses(crossings: Iterable<Crossing>): ReadonlySet<string> {
  const enclosing = new Set<string>();
  const processes = new Map<string, string[]>();
  for (const crossing of crossings) {
    const { parentSpanId, spanId } = crossing;
    if (parentSpanId === undefined) continue;
    enclosing.add(parentSpanId);
    if (crossingLabel(crossing) !== PROCESS_RUN_LABEL) continue;
    processes.set(parentSpanId, [...(processes.get(parentSpanId) ?? []), spanId]);
  }
  const beside = Array.from(processes.values()).filter((spanIds) => spanIds.length > 1);
  return new Set([...processes.keys(), ...beside.flat().filter((spanId) => !enclosing.has(spanId))]);
}
