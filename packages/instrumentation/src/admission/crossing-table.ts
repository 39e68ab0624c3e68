import type { SpanContext } from '@opentelemetry/api';

/** What a table needs to know of a crossing. */
export interface KeptCrossing {
  readonly spanContext: SpanContext;
}

function keyOf({ traceId, spanId }: Pick<SpanContext, 'traceId' | 'spanId'>): string {
  return `${traceId}:${spanId}`;
}

/**
 * Crossings by trace id and span id, in the order in which they were added. The key is the span id alone, which is there as a text and
 * hashed already; to put both ids together for each look-up takes several times as long. Where another trace has the same span id, it is both.
 */
export class CrossingTable<Kept extends KeptCrossing> {
  private readonly crossings = new Map<string, Kept>();

  /** How many there are. */
  get size(): number {
    return this.crossings.size;
  }

  add(crossing: Kept): void {
    const { spanContext } = crossing;
    const there = this.crossings.get(spanContext.spanId);
    const isOther = there !== undefined && there.spanContext.traceId !== spanContext.traceId;
    this.crossings.set(isOther ? keyOf(spanContext) : spanContext.spanId, crossing);
  }

  get(traceId: string, spanId: string): Kept | undefined {
    const found = this.crossings.get(spanId);
    return found?.spanContext.traceId === traceId ? found : this.crossings.get(keyOf({ traceId, spanId }));
  }

  delete({ spanContext }: Kept): void {
    const { traceId, spanId } = spanContext;
    const isByIdAlone = this.crossings.get(spanId)?.spanContext.traceId === traceId;
    this.crossings.delete(isByIdAlone ? spanId : keyOf(spanContext));
  }

  values(): MapIterator<Kept> {
    return this.crossings.values();
  }
}
