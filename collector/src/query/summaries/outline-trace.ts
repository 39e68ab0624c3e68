import { type CrossingDraft, withoutContent } from '@reenact/dialects';
import { outlineSpanBytes, type PlainValue, type Span } from '@reenact/otlp';
import type { StoredSpan } from '../../store/store.ts';
import { OUTLINE_ITEM_BYTES_MAX } from '../limits.ts';
import { type AssembledTrace, assembleTrace } from '../traces/assemble-trace.ts';
import { decodeTrace } from '../traces/decode-trace.ts';
import { byScope, type ReadSpan, readSpans } from '../traces/read-span.ts';
import { outlineFailure } from './outline-span.ts';
import { unreadCrossing } from './unread-crossing.ts';

/**
 * A trace without what was said in it: it is read part by part, of which no more is kept than names, places, times and some attributes, as
 * long as they are small. Memory does not grow with what was said.
 */
export class TraceOutline {
  /** Sizes of the spans, by span id. */
  readonly bytesOf = new Map<string, number>();
  /** What the process of the run said of itself: that of a span without a parent. */
  resource: ReadSpan['resource'] = new Map();
  private readonly scoped: Pick<ReadSpan, 'span' | 'scope'>[] = [];
  private readonly crossings = new Map<string, CrossingDraft>();
  private readonly keys: readonly string[];

  /** `keys`: the attributes to keep. */
  constructor(keys: readonly string[]) {
    this.keys = keys;
  }

  get spans(): Span[] {
    return this.scoped.map(({ span }) => span);
  }

  add(part: readonly StoredSpan[]): void {
    for (const { spanId, bytes } of part) this.bytesOf.set(spanId, bytes.length);
    const small = part.map((span) => ({
      ...span,
      bytes: outlineSpanBytes(span.bytes, span.format, OUTLINE_ITEM_BYTES_MAX),
    }));
    for (const span of readSpans(decodeTrace(small))) this.keep(span);
  }

  /** The recording that all parts together are. */
  assemble(): AssembledTrace {
    return assembleTrace({ resourceSpans: [{ scopeSpans: byScope(this.scoped) }] }, undefined, this.crossings);
  }

  private keep(read: ReadSpan): void {
    const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano } = read.span;
    const span = {
      traceId,
      spanId,
      name,
      startTimeUnixNano,
      endTimeUnixNano,
      ...(parentSpanId === undefined ? {} : { parentSpanId }),
      ...outlineFailure(read.span),
    };
    this.scoped.push({ span, scope: read.scope });
    if (parentSpanId === undefined) this.resource = read.resource;
    const draft = unreadCrossing(read, `${this.bytesOf.get(spanId)} bytes`);
    if (draft !== undefined) this.crossings.set(spanId, withoutContent(draft, this.keptOf(read)));
  }

  private keptOf({ attributes }: ReadSpan): ReadonlyMap<string, PlainValue> {
    const found = this.keys.map((key) => [key, attributes.get(key)] as const);
    return new Map(found.filter((entry): entry is readonly [string, PlainValue] => entry[1] !== undefined));
  }
}
