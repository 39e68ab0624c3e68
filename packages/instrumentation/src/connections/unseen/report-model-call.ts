import { gate } from '../../admission/current-gate.ts';
import { guarded } from '../../host/report-failure.ts';
import { trapLog } from '../../traps/trap-log.ts';

/** Whatever kind of crossing it is but an agent, it keeps what its code came to, and is answered as a whole in a replay. */
function isRecordedHere(): boolean {
  if (gate.wireMode() !== 'record') return true;
  const around = gate.boundaryHere();
  return around !== undefined && around.kind !== 'agent';
}

/**
 * Reports a call of a model that no crossing keeps. `modelOf` is asked only where none does, and gives undefined where it was none of a
 * model. Never throws.
 */
export function reportModelCall(modelOf: () => string | undefined): void {
  guarded(
    'looking for unrecorded model calls',
    () => {
      const model = isRecordedHere() ? undefined : modelOf();
      if (model !== undefined) trapLog.report('unrecorded-model-call', model);
    },
    undefined,
  );
}
