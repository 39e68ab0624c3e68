import { type Context, defaultTextMapGetter, defaultTextMapSetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { gate } from '../admission/current-gate.ts';
import { enclosingSpan } from '../host/enclosing-span.ts';
import { guarded } from '../host/report-failure.ts';

const propagator = new W3CTraceContextPropagator();

/**
 * The W3C headers that carry the span of `context` to another process, so that one run that crosses services is one recording:
 * `traceparent`, and `tracestate` where there is one. Empty where this process leaves that to its host, which is so unless the
 * register hook set it up. The caller asks `travelsTo` first, and adds nothing to a request that has a `traceparent`. Never throws.
 */
export function outgoingTraceContext(context: Context): Readonly<Record<string, string>> {
  if (!gate.injectsTraceContext) return {};
  return guarded(
    'writing a trace context',
    () => {
      const carrier: Record<string, string> = {};
      propagator.inject(context, carrier, defaultTextMapSetter);
      return carrier;
    },
    {},
  );
}

/**
 * The context below the span that came in W3C headers, where the host's own propagators have read none from them, and this
 * process does not leave that to its host (see `outgoingTraceContext`). Never throws.
 */
export function incomingTraceContext(context: Context, headers: object): Context {
  if (enclosingSpan(context) !== undefined || !gate.injectsTraceContext) return context;
  return guarded('reading a trace context', () => propagator.extract(context, headers, defaultTextMapGetter), context);
}
