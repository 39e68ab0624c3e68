import type { CrossingNode } from '@reenact/trace-model/collector-api';

function hasFailed({ outcome }: CrossingNode): boolean {
  return outcome === 'threw' || outcome === 'failed';
}

/** Crossings that failed within another one, parents before children. */
function failedWithin(
  failed: readonly CrossingNode[],
  outer: CrossingNode,
  all: readonly CrossingNode[],
): CrossingNode[] {
  const within = new Set([outer.spanId]);
  for (const { spanId, parentSpanId } of all)
    if (parentSpanId !== undefined && within.has(parentSpanId)) within.add(spanId);
  return failed.filter(({ spanId }) => spanId !== outer.spanId && within.has(spanId));
}

/**
 * What a run failed in, the most telling first: the innermost crossing whose error ended it. Where no other crossing has that error, the agent made
 * it itself, out of the last failure inside or without one, so both are named. `crossings`: parents before children, as a tree has them.
 */
export function failedCrossings(crossings: readonly CrossingNode[]): CrossingNode[] {
  const failed = crossings.filter(hasFailed);
  const failedIds = new Set(failed.map(({ spanId }) => spanId));
  const outer = failed.findLast(({ parentSpanId }) => parentSpanId === undefined || !failedIds.has(parentSpanId));
  if (outer === undefined) return [];
  const inner = failedWithin(failed, outer, crossings);
  const same = inner.findLast(({ errorType, output }) => errorType === outer.errorType && output === outer.output);
  if (same !== undefined) return [same];
  const last = inner.at(-1);
  return last === undefined ? [outer] : [outer, last];
}
