import type { SpanContext } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

/** What OpenTelemetry 1 calls otherwise. */
interface FirstVersionNames {
  readonly instrumentationLibrary?: InstrumentationScope;
  readonly parentSpanId?: string;
}

/** Scope and parent by these names, too: the exporter of an app that has an SDK of OpenTelemetry 1 looks for no others. */
export function firstVersionNames(scope: InstrumentationScope, parent: SpanContext | undefined): FirstVersionNames {
  return { instrumentationLibrary: scope, ...(parent === undefined ? {} : { parentSpanId: parent.spanId }) };
}

/** A span that an SDK has ended, as OpenTelemetry 2 and later have it. */
export function currentSpan(span: ReadableSpan & FirstVersionNames): ReadableSpan {
  const { instrumentationLibrary: scope, parentSpanId } = span;
  if (span.instrumentationScope !== undefined || scope === undefined) return span;
  const parent = parentSpanId === undefined ? undefined : { ...span.spanContext(), spanId: parentSpanId };
  return Object.create(span, {
    instrumentationScope: { value: scope, enumerable: true },
    ...(parent === undefined ? {} : { parentSpanContext: { value: parent, enumerable: true } }),
  }) as ReadableSpan;
}
