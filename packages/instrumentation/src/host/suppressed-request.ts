import type { Context } from '@opentelemetry/api';
import { isTracingSuppressed } from '@opentelemetry/core';
import { guarded } from './report-failure.ts';

/** What `@sentry/core` 8 and later keep in the process, as far as it matters. */
interface SentryCarrier {
  readonly acs?: { readonly getCurrentScope?: () => { getScopeData(): { sdkProcessingMetadata?: object } } };
}

/** The key by which `@sentry/core` 11 marks a scope in which nothing is traced. */
const SENTRY_KEY = '__SENTRY_SUPPRESS_TRACING__';

/** Sentry makes its first scope when it is asked for one, and draws an id for that: what that leads to is not asked again. */
let isAsking = false;

function isSuppressedBySentry(): boolean {
  const carriers = (globalThis as { __SENTRY__?: Record<string, unknown> }).__SENTRY__;
  if (carriers === undefined || isAsking) return false;
  isAsking = true;
  try {
    const { acs } = carriers[String(carriers.version)] as SentryCarrier;
    const metadata = acs?.getCurrentScope?.().getScopeData().sdkProcessingMetadata as
      | Record<string, unknown>
      | undefined;
    return metadata?.[SENTRY_KEY] === true;
  } finally {
    isAsking = false;
  }
}

/**
 * Whether a request that is made here is telemetry which its sender keeps out of traces: in OpenTelemetry's way, as exporters do, or in
 * that of Sentry's SDK, which stands without OpenTelemetry since its version 11. Never throws.
 */
export function isSuppressedRequest(active: Context): boolean {
  return isTracingSuppressed(active) || guarded('asking Sentry what it leaves out', isSuppressedBySentry, false);
}
