import { diag } from '@opentelemetry/api';

const reported = new Set<string>();

/** Tells one failure of Reenact itself to OpenTelemetry's diagnostics, once per place. Never throws. */
export function reportFailure(where: string, thrown: unknown): void {
  if (reported.has(where)) return;
  reported.add(where);
  try {
    diag.error(`reenact: ${where} failed; the host is not affected. Further failures here are not logged.`, thrown);
  } catch {
    // A logger that throws is the host's own; there is nobody left to tell.
  }
}

/** Tells the host of a mistake in how Reenact is used, through OpenTelemetry's diagnostics. Never throws. */
export function warnHost(message: string): void {
  try {
    diag.warn(`reenact: ${message}`);
  } catch {
    // A logger that throws is the host's own; there is nobody left to tell.
  }
}

/** Runs a hook of ours and gives `fallback` where it fails: nothing of ours may throw into the host. Never throws. */
export function guarded<Result>(where: string, hook: () => Result, fallback: Result): Result {
  try {
    return hook();
  } catch (thrown) {
    reportFailure(where, thrown);
    return fallback;
  }
}
