import type { Cost, CrossingNode } from '@reenact/trace-model/collector-api';

/** What models used. */
export interface Tokens {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Absent where the collector has no prices. */
  readonly cost?: Cost | undefined;
}

const NONE: Tokens = { calls: 0, inputTokens: 0, outputTokens: 0 };

const ofModels: ReadonlySet<string> = new Set(['model', 'embedding']);

function sumCosts(one: Cost | undefined, other: Cost | undefined): Cost | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const unpricedModels = [...new Set([...(one.unpricedModels ?? []), ...(other.unpricedModels ?? [])])];
  return { ...one, amount: one.amount + other.amount, ...(unpricedModels.length === 0 ? {} : { unpricedModels }) };
}

function sum(one: Tokens, other: Tokens): Tokens {
  const cost = sumCosts(one.cost, other.cost);
  return {
    ...(cost === undefined ? {} : { cost }),
    calls: one.calls + other.calls,
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** What a model call used by itself; undefined of anything else, and where nobody says that it used any. */
export function ownTokens({ kind, inputTokens = 0, outputTokens = 0, cost }: CrossingNode): Tokens | undefined {
  if (!ofModels.has(kind) || inputTokens + outputTokens === 0) return undefined;
  return { calls: 1, inputTokens, outputTokens, ...(cost === undefined ? {} : { cost }) };
}

/**
 * By span id, what the model calls used that were made inside of each crossing, where there were any; an outer call repeats the tokens of those inside of
 * it. Parents come before children.
 */
export function tokensInside(crossings: readonly CrossingNode[]): ReadonlyMap<string, Tokens> {
  const inside = new Map<string, Tokens>();
  for (const node of crossings.toReversed()) {
    const used = inside.get(node.spanId) ?? ownTokens(node);
    if (used === undefined || node.parentSpanId === undefined) continue;
    inside.set(node.parentSpanId, sum(inside.get(node.parentSpanId) ?? NONE, used));
  }
  return inside;
}

/** What the models of one agent used, however often it ran, without those of agents inside of it. */
export interface AgentTokens extends Tokens {
  /** Undefined of calls in no agent. */
  readonly agent: string | undefined;
}

/** Which agents of a run used the tokens, who used most first. */
export function tokensByAgent(
  crossings: readonly CrossingNode[],
  inside: ReadonlyMap<string, Tokens>,
): readonly AgentTokens[] {
  const agents = new Map<string, string | undefined>();
  const used = new Map<string | undefined, Tokens>();
  for (const node of crossings) {
    const { kind, name, spanId, parentSpanId = '' } = node;
    const agent = kind === 'agent' ? name : agents.get(parentSpanId);
    agents.set(spanId, agent);
    const own = inside.has(spanId) ? undefined : ownTokens(node);
    if (own !== undefined) used.set(agent, sum(used.get(agent) ?? NONE, own));
  }
  const total = ({ inputTokens, outputTokens }: Tokens): number => inputTokens + outputTokens;
  return [...used].map(([agent, tokens]) => ({ agent, ...tokens })).sort((one, other) => total(other) - total(one));
}
