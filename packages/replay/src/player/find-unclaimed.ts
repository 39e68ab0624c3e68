import { type Crossing, crossingLabel, PROCESS_RUN_LABEL } from '@reenact/trace-model';
import type { Inquiry } from './inquiry.ts';
import type { LookUp, LookUpResult } from './look-up.ts';

/** Which recorded run of a child process is this one's. */
export interface ClaimProcessRun {
  /** Whether a recorded run is of the process that was started as this one was: of several equal ones it is taken first. */
  readonly prefers: (recorded: Crossing) => boolean;
  /** Takes a recorded run, by its span id; false where another process of the replay has taken it. Throws ReenactError. */
  readonly take: (spanId: string) => boolean;
}

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
  const isProcessRun = crossingLabel(inquiry) === PROCESS_RUN_LABEL;
  const asked = claim !== undefined && isProcessRun ? { ...inquiry, prefers: claim.prefers } : inquiry;
  for (;;) {
    const result = lookUp.find(asked);
    if (claim === undefined || result.type === 'missing' || result.recorded === lookUp.root) return result;
    const { recorded } = result;
    if (crossingLabel(recorded) !== PROCESS_RUN_LABEL) return result;
    if (claim.take(recorded.spanId)) {
      claimed(recorded.spanId);
      return result;
    }
    lookUp.metElsewhere(recorded);
  }
}
