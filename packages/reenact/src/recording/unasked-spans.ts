import { ProxyTracerProvider, type Tracer } from '@opentelemetry/api';

/**
 * Scopes of SDKs that trace their own calls as soon as anybody registers a provider, beside the crossings of an instrumentation of
 * ours. Where the only provider is ours, nobody asked for these spans: a script of three bare calls would be three traces, and
 * whatever adds up tokens would count each call twice. `<scope>.<platform>` is the same SDK for another platform.
 */
const UNASKED_SCOPES = ['com.anthropic.sdk.typescript'] as const;

/** Whether spans of this instrumentation scope exist only because a provider was registered. */
export function isUnaskedScope(name: string): boolean {
  return UNASKED_SCOPES.some((scope) => name === scope || name.startsWith(`${scope}.`));
}

/** A tracer whose spans are those around them: nothing is recorded, and what is inside has the parent it would have had. */
export function passingTracer(name: string): Tracer {
  return new ProxyTracerProvider().getTracer(name);
}
