import type { Context } from '@opentelemetry/api';
import { guarded } from './report-failure.ts';
import { isTelemetryContext } from './telemetry-context.ts';

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

/** Its tracer puts this into the process before it does anything else. */
export const DATADOG_KEY: symbol = Symbol.for('dd-trace');
/** The module in which it keeps what holds for the running code; nothing public leads there. */
const DATADOG_STORAGE = /[/\\]datadog-core[/\\]src[/\\]storage\.js$/;

/** What that module has, as far as it matters. */
interface DatadogModule {
  readonly exports?: { readonly storage?: (name: string) => { getStore(): { readonly noop?: unknown } | undefined } };
}

/** Found once for each tracer that was put into the process. */
let datadog: { readonly key: unknown; readonly modules: readonly DatadogModule[] } | undefined;

function datadogModules(key: unknown): readonly DatadogModule[] {
  if (datadog !== undefined && datadog.key === key) return datadog.modules;
  const { _cache: loaded = {} } = process.getBuiltinModule('node:module') as {
    _cache?: Record<string, DatadogModule>;
  };
  const modules = Object.keys(loaded).flatMap((path) => (DATADOG_STORAGE.test(path) ? [loaded[path] ?? {}] : []));
  // It comes first of all: while it is not there, the tracer is still being loaded.
  if (modules.length > 0) datadog = { key, modules };
  return modules;
}

function isSuppressedByDatadog(): boolean {
  const key: unknown = Reflect.get(globalThis, DATADOG_KEY);
  if (key === undefined) return false;
  return datadogModules(key).some(({ exports }) => exports?.storage?.('legacy').getStore()?.noop === true);
}

/**
 * Whether a request that is made here is telemetry which its sender keeps out of traces: in OpenTelemetry's way, as exporters do, or in
 * that of Sentry's SDK, which stands without OpenTelemetry since its version 11, or of Datadog's, which always did. Never throws.
 */
export function isSuppressedRequest(active: Context): boolean {
  if (isTelemetryContext(active)) return true;
  if (guarded('asking Sentry what it leaves out', isSuppressedBySentry, false)) return true;
  return guarded('asking Datadog what it leaves out', isSuppressedByDatadog, false);
}
