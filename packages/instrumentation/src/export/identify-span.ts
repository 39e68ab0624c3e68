import type { Context } from '@opentelemetry/api';
import type { Span } from '@opentelemetry/sdk-trace';
import { redactAttributes } from '../redaction/places/redact-crossing.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { identityAttributes } from '../run/identity.ts';
import { INSTRUMENTATION_NAME } from '../version.ts';
import { currentSpan } from '../view/first-version.ts';

/** Says on a span that starts inside a run whom that run is for, where its own attributes do not say so; crossings say it themselves. */
export function identifySpan(span: Span, parentContext: Context): void {
  if (currentSpan(span).instrumentationScope.name === INSTRUMENTATION_NAME) return;
  const identity = identityAttributes(parentContext, scopeOf(parentContext)?.run.identity);
  const unsaid = Object.entries(identity).filter(([key]) => span.attributes[key] === undefined);
  if (unsaid.length > 0) span.setAttributes(redactAttributes(Object.fromEntries(unsaid)));
}
