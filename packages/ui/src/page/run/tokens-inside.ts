import type { CrossingNode } from '@reenact/trace-model/collector-api';

/** What the models used that were called inside of a crossing. */
export interface TokensInside {
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

const ofModels: ReadonlySet<string> = new Set(['model', 'embedding']);

/** Sums what the model calls inside of a crossing used; an outer one repeats the tokens of those inside of it. Parents come before children. */
export function tokensInside(crossings: readonly CrossingNode[], { spanId: around }: CrossingNode): TokensInside {
  const parents = new Map<string, string | undefined>([[around, undefined]]);
  const calls = new Map<string, CrossingNode>();
  for (const node of crossings) {
    const { spanId, parentSpanId, kind, inputTokens, outputTokens } = node;
    if (parentSpanId === undefined || !parents.has(parentSpanId)) continue;
    parents.set(spanId, parentSpanId);
    if (!ofModels.has(kind) || (inputTokens === undefined && outputTokens === undefined)) continue;
    calls.set(spanId, node);
    for (let outer: string | undefined = parentSpanId; outer !== undefined; outer = parents.get(outer))
      calls.delete(outer);
  }
  const counted = [...calls.values()];
  return {
    calls: counted.length,
    inputTokens: counted.reduce((sum, { inputTokens = 0 }) => sum + inputTokens, 0),
    outputTokens: counted.reduce((sum, { outputTokens = 0 }) => sum + outputTokens, 0),
  };
}
