import type { SpanSlice } from '../slice.ts';
import type { Span } from '../span.ts';

/** The index fields of a slice, or those a span should have, in one comparable form. */
export function describeFacts(source: SpanSlice | { span: Span }): object {
  if ('facts' in source) {
    const { startTimeUnixNano, endTimeUnixNano, ...facts } = source.facts;
    return { ...facts, start: String(startTimeUnixNano), end: String(endTimeUnixNano) };
  }
  const { span } = source;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    start: span.startTimeUnixNano,
    end: span.endTimeUnixNano,
  };
}
