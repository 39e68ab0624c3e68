import { admit, gate } from '../admission/current-gate.ts';
import type { GateCall } from '../gate/gate.ts';
import type { Position } from '../gate/player.ts';
import { runInContext } from '../host/run-in-context.ts';
import { positionOf } from '../run/position.ts';

/**
 * Tells the run that stands at a position of a message that reached its process when it was recorded. Gives whether the program is to hear it; false where
 * that run does not go on in this process any more.
 */
export function raiseInRun(message: GateCall, position: Position): boolean {
  const run = gate.runsUnderWay(position).find(({ context }) => positionOf(context)?.cursor === position.cursor);
  if (run === undefined) return false;
  const admission = runInContext(run.context, () => admit(message));
  if (admission.type === 'refuse' || admission.type === 'pass') return false;
  if (admission.type === 'stub') void admission.release.settle();
  admission.crossing.settle({ type: 'returned', value: undefined });
  return admission.type === 'run';
}
