import { crossingLabel, PROCESS_RUN_LABEL } from '@reenact/trace-model';
import type { Inquiry, LookUp, LookUpResult } from './look-up.ts';

/**
 * Takes the recorded run of a child process, by its span id, for this process; false where another process of the replay has
 * taken it. Throws ReenactError.
 */
export type ClaimProcessRun = (spanId: string) => boolean;

/**
 * Looks a call up as `LookUp.find` does, but gives each recorded run of a child process to one process only: those that were
 * started side by side look below one cursor, and know nothing of what the others have met. `claimed`: told of a run that is
 * this process's now.
 */
export function findUnclaimed(
  lookUp: LookUp,
  inquiry: Inquiry,
  claim: ClaimProcessRun | undefined,
  claimed: (spanId: string) => void,
): LookUpResult {
  for (;;) {
    const result = lookUp.find(inquiry);
    if (claim === undefined || result.type === 'missing' || result.recorded === lookUp.root) return result;
    const { recorded } = result;
    if (crossingLabel(recorded) !== PROCESS_RUN_LABEL) return result;
    if (claim(recorded.spanId)) {
      claimed(recorded.spanId);
      return result;
    }
    lookUp.metElsewhere(recorded);
  }
}
