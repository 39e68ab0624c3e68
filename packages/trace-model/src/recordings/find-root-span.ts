import type { Span } from '@reenact/otlp';

type PlacedSpan = Pick<Span, 'spanId' | 'parentSpanId' | 'startTimeUnixNano'>;

/** A span that says it has no parent comes before orphans, whatever their clocks say. */
function rank({ startTimeUnixNano, parentSpanId }: PlacedSpan): bigint {
  const isOrphan = parentSpanId !== undefined && parentSpanId !== '';
  return BigInt(startTimeUnixNano) + (isOrphan ? 2n ** 64n : 0n);
}

/** The earliest span whose parent is not in the trace: the root, or the nearest to it that has arrived. Undefined of no spans. */
export function findRootSpan<Placed extends PlacedSpan>(spans: readonly Placed[]): Placed | undefined {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined || !known.has(parentSpanId));
  const [first, ...rest] = roots.length === 0 ? spans : roots;
  if (first === undefined) return undefined;
  return rest.reduce((best, span) => (rank(span) < rank(best) ? span : best), first);
}
