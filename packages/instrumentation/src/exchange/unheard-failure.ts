import { gate } from '../admission/current-gate.ts';
import type { Admission } from '../gate/gate.ts';

/** With what reading a body to be sent failed. */
export interface UploadFailure {
  readonly error: unknown;
}

/**
 * Throws at nobody, as a stream does that fails while nobody reads it: the recorded process died of it before there was a connection to send
 * it over, and a replay has read it before it asked what was recorded.
 */
export function failUnheard(admission: Admission, failure: UploadFailure | undefined): void {
  // A process that others use beside the replay goes on.
  if (admission.type !== 'stub' || failure === undefined || gate.dedicatedPlayer === undefined) return;
  const { outcome, exchanges } = admission.recorded;
  if (outcome.type !== 'pending' || exchanges.length > 0) return;
  process.nextTick(() => {
    throw failure.error;
  });
}
