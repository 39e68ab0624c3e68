import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import { isTracingSuppressed, suppressTracing } from '@opentelemetry/core';
import { processState, SENDS_TELEMETRY } from '@reenact/trace-model';

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

/** Says it where the app has taken the contexts of OpenTelemetry away, as Sentry's SDK does beside another version of the API. */
const sending = processState('own-telemetry.1', () => new AsyncLocalStorage<true>());

/**
 * Runs what tells Reenact's collector something, or asks it: it is never recorded, also in a process that has no contexts any more, where each
 * delivery would make another. Returns and throws what `work` does.
 */
export function asOwnTelemetry<Result>(work: () => Result): Result {
  return sending.run(true, () => contexts.with(ownTelemetryContext(), work));
}

/** Whether it is Reenact that sends here. */
export function isOwnTelemetry(active: Context): boolean {
  return active.getValue(SENDS_TELEMETRY) === OWN || (active === ROOT_CONTEXT && sending.getStore() === true);
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
  return isOwnTelemetry(active) || (isTracingSuppressed(active) && active.getValue(SENDS_TELEMETRY) !== false);
}
