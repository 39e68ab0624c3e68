import type { BoundaryKind, Crossing } from '@reenact/trace-model';
import { listed } from '../listed.ts';
import type { EventHistory } from './event-history.ts';

/** What an agent's own code calls; requests and queries are how a client works, and may be answered by another service's code. */
const calledByAgents: ReadonlySet<BoundaryKind> = new Set([
  'agent',
  'model',
  'tool',
  'retrieval',
  'embedding',
  'memory',
  'mcp',
  'guardrail',
  'verify',
  'approval',
]);

interface ServedWhole {
  readonly path: string;
  inside: number;
}

function servedWhole(recorded: readonly Crossing[], history: EventHistory): ServedWhole[] {
  const stubs = new Set(history.met.flatMap(({ event }) => (event.answer === 'stub' ? [event.recordedSpanId] : [])));
  const around = new Map<string, ServedWhole>();
  for (const { spanId, parentSpanId = '', path, kind } of recorded) {
    const outer = around.get(parentSpanId);
    if (outer === undefined && !(stubs.has(spanId) && calledByAgents.has(kind))) continue;
    around.set(spanId, outer ?? { path, inside: 0 });
    if (outer !== undefined && calledByAgents.has(kind)) outer.inside += 1;
  }
  return [...new Set(around.values())].filter(({ inside }) => inside > 0);
}

/**
 * Says of calls that were served whole that code of the agent's is inside: a tool that asks a model, as that of a framework which has
 * another agent for a tool. A change there is in no replay, which must not look as if it had been tried. `recorded`: below the run, parents
 * first. Undefined where there is none.
 */
export function servedWholeNote(recorded: readonly Crossing[], history: EventHistory): string | undefined {
  const whole = servedWhole(recorded, history);
  const [first] = whole;
  if (first === undefined) return undefined;
  const calls = whole.reduce((sum, { inside }) => sum + inside, 0);
  const paths = listed(whole.map(({ path }) => path));
  const [what, it] = whole.length === 1 ? [`${paths} was`, 'it'] : [`${whole.length} calls were`, 'them'];
  const which = whole.length === 1 ? '' : ` (${paths})`;
  return `${what} served whole${which}: no code in ${it} ran, nor any of the ${calls === 1 ? 'call' : `${calls} calls`} recorded inside. A change of that code was not tried. \`--live ${first.path}\` runs it; what is recorded inside is served then, and what else it does happens for real.`;
}
