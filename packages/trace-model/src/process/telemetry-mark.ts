/**
 * Under it the contexts in which tracing is suppressed say whether that is done by somebody who sends telemetry. Registered, so that every
 * copy of these packages finds it.
 */
export const SENDS_TELEMETRY = Symbol.for('reenact.sends-telemetry.1');
