import type { Crossing, Recording } from '@reenact/trace-model';
import { SERVICE_ANSWER_MS_MAX } from '../limits.ts';
import { gaveUp } from '../process/send-recorded-request.ts';
import { cutOffMs } from '../recorded/cut-off-ms.ts';

/**
 * How long whoever asks a running service again waits for its answer, milliseconds. The service itself has one leave that was recorded to: by the
 * clock of this process it would be before that wherever a replay takes longer.
 */
export function entryPatienceMs(entry: { readonly recording: Recording; readonly root: Crossing }): number {
  return gaveUp(entry.root) ? cutOffMs(entry) : SERVICE_ANSWER_MS_MAX;
}
