import type { Context } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import { SENDS_TELEMETRY } from '@reenact/trace-model';

/** A context in which nothing is recorded or replayed, because what is done there only sends telemetry. */
export function telemetryContext(around: Context): Context {
  return suppressTracing(around).setValue(SENDS_TELEMETRY, true);
}

/**
 * Whether what is done here only sends telemetry, and is no part of a run: tracing is suppressed, and not by somebody who only keeps calls
 * of the run out of traces.
 */
export function isTelemetryContext(active: Context): boolean {
  return isTracingSuppressed(active) && active.getValue(SENDS_TELEMETRY) !== false;
}
