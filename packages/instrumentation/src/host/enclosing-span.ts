import { type Context, isSpanContextValid, type SpanContext, trace } from '@opentelemetry/api';

/**
 * The span that encloses the code of a context. Undefined where there is none, and where the one that is there belongs to no trace:
 * libraries that trace themselves put such a span into their contexts where nobody registered a provider yet.
 */
export function enclosingSpan(context: Context): SpanContext | undefined {
  const spanContext = trace.getSpanContext(context);
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext : undefined;
}
