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

/** What reaches another process. */
const sentToOthers: ReadonlySet<BoundaryKind> = new Set(['http', 'rpc', 'mcp']);

/** By which service a crossing was recorded; undefined where its resource does not say it. */
type ServiceOf = (crossing: Crossing) => string | undefined;

interface ServedWhole {
  readonly path: string;
  inside: number;
}

/** By the name of the service alone for what a program started: that is code of the same one. */
function isOfAnother(crossing: Crossing, around: Crossing, serviceOf: ServiceOf): boolean {
  const [service, own] = [serviceOf(crossing), serviceOf(around)];
  if (service !== undefined && own !== undefined && service !== own) return true;
  const numbers = [crossing.processId, around.processId];
  return sentToOthers.has(around.kind) && !numbers.includes(undefined) && numbers[0] !== numbers[1];
}

function servedWhole(recorded: readonly Crossing[], history: EventHistory, serviceOf: ServiceOf): ServedWhole[] {
  const stubs = new Set(history.met.flatMap(({ event }) => (event.answer === 'stub' ? [event.recordedSpanId] : [])));
  // What a served call was recorded to hand to the agent meanwhile, as a server of MCP that asks or tells of progress, comes again.
  const met = new Set(history.met.map(({ event }) => event.recordedSpanId));
  const around = new Map<string, { readonly crossing: Crossing; readonly whole: ServedWhole }>();
  for (const crossing of recorded) {
    const { spanId, parentSpanId = '', path, kind } = crossing;
    const outer = around.get(parentSpanId);
    if (
      outer === undefined
        ? !(stubs.has(spanId) && calledByAgents.has(kind))
        : met.has(spanId) || isOfAnother(crossing, outer.crossing, serviceOf)
    )
      continue;
    const whole = outer?.whole ?? { path, inside: 0 };
    around.set(spanId, { crossing, whole });
    if (outer !== undefined && calledByAgents.has(kind)) whole.inside += 1;
  }
  return [...new Set([...around.values()].map(({ whole }) => whole))].filter(({ inside }) => inside > 0);
}

/**
 * Says of calls that were served whole that code of the agent's is inside: a tool that asks a model, as that of a framework which has
 * another agent for a tool. A change there is in no replay, which must not look as if it had been tried. What another service recorded inside is
 * no code of the agent's. `recorded`: below the run, parents first. Undefined where there is none.
 */
export function servedWholeNote(
  recorded: readonly Crossing[],
  history: EventHistory,
  serviceOf: ServiceOf,
): string | undefined {
  const whole = servedWhole(recorded, history, serviceOf);
  const [first] = whole;
  if (first === undefined) return undefined;
  const calls = whole.reduce((sum, { inside }) => sum + inside, 0);
  const paths = listed(whole.map(({ path }) => path));
  const [what, it] = whole.length === 1 ? [`${paths} was`, 'it'] : [`${whole.length} calls were`, 'them'];
  const which = whole.length === 1 ? '' : ` (${paths})`;
  return `${what} served whole${which}: no code in ${it} ran, nor ${calls === 1 ? 'the call' : `any of the ${calls} calls`} recorded inside. A change of that code was not tried. \`--live ${first.path}\` runs it; what is recorded inside is served then, and what else it does happens for real.`;
}
