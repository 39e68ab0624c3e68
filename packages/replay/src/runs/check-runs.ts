import { isReenactError, isSentAgain, type Recording, ReenactError } from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { planBeside } from '../plan/plan-beside.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { isServedBeside } from '../recorded/one-call.ts';
import { runName } from '../recorded/run-name.ts';
import { checkReplayable } from '../report/check-replayable.ts';

/**
 * Checks before anything runs that the runs beside the replayed one can be answered, too. Throws ReenactError as `checkReplayable`
 * does, with the name of the run. Those of a request are looked at where the service begins them, which it may not.
 */
export function checkRunsBeside(recording: Recording, rootSpanId: string, plan: Plan): void {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined && isSentAgain(root)) return;
  for (const run of runsBesideOf(recording, rootSpanId).runs) {
    const { spanId } = run.root;
    try {
      checkReplayable(run.recording, spanId, planBeside(plan, run.recording, spanId), isServedBeside(run.root));
    } catch (thrown) {
      if (!isReenactError(thrown)) throw thrown;
      throw new ReenactError(
        thrown.code,
        `The command makes ${runName(run)}, too, and it cannot be answered: ${thrown.message}`,
        {
          where: spanId,
          next: `Re-run this one alone, by its function: \`reenact replay ${rootSpanId} --entry <file>#<function>\``,
          cause: thrown,
        },
      );
    }
  }
}
