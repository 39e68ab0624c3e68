import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import { SENDS_TELEMETRY } from '@reenact/trace-model';

/** What stands for who sends telemetry where that is Reenact. */
const OWN = 'reenact';

/** A context in which nothing is recorded or replayed, because what is done there only sends telemetry. */
export function telemetryContext(around: Context): Context {
  return suppressTracing(around).setValue(SENDS_TELEMETRY, isOwnTelemetry(around) ? OWN : true);
}

/** The same, of Reenact: what a process asks its collector, or tells it. */
export function ownTelemetryContext(): Context {
  return suppressTracing(ROOT_CONTEXT).setValue(SENDS_TELEMETRY, OWN);
}

/** Whether it is Reenact that sends here. */
export function isOwnTelemetry(active: Context): boolean {
  return active.getValue(SENDS_TELEMETRY) === OWN;
}

/** Whether who sends here is known to be an exporter of the program, and not only to suppress tracing. */
export function isExporter(active: Context): boolean {
  return active.getValue(SENDS_TELEMETRY) === true;
}

/**
 * Whether what is done here only sends telemetry, and is no part of a run: tracing is suppressed, and not by somebody who only keeps calls
 * of the run out of traces.
 */
export function isTelemetryContext(active: Context): boolean {
  return isTracingSuppressed(active) && active.getValue(SENDS_TELEMETRY) !== false;
}
