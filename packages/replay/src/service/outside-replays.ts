import { asOwnTelemetry } from '@reenact/instrumentation';

/**
 * Runs what Reenact itself sends, whatever replay or run it is for: outside of both, so that it is neither recorded, nor looked up,
 * nor guarded, and lives in real time. Returns and throws what `work` does.
 */
export function outsideReplays<Result>(work: () => Result): Result {
  return asOwnTelemetry(work);
}
