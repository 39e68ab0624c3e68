import { isReenactError, type Recording, ReenactError, type RunBeside } from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';
import { planBeside } from '../plan/plan-beside.ts';
import type { Plan } from '../plan/plan-schema.ts';
import { checkReplayable } from '../report/check-replayable.ts';

/** A run beside the replayed one, as messages name it. */
export function runName({ place, root, recording }: RunBeside): string {
  return `run ${place} of the process, ${root.path} (trace ${recording.traceId})`;
}

function notAnAgent(run: RunBeside): ReenactError {
  return new ReenactError(
    'unsupported',
    `The command makes ${runName(run)}, too, which is one call with no agent around it.`,
    {
      where: run.root.spanId,
      next: 'Put agent("name", fn) around the work, or start the program with `--import reenact/register`, and record again.',
    },
  );
}

/**
 * Checks before anything runs that the runs beside the replayed one can be answered, too. Throws ReenactError as `checkReplayable`
 * does, with the name of the run.
 */
export function checkRunsBeside(recording: Recording, rootSpanId: string, plan: Plan): void {
  for (const run of runsBesideOf(recording, rootSpanId).runs) {
    const { spanId, kind } = run.root;
    // Its root is what runs again, and here that is the call itself.
    if (kind !== 'agent') throw notAnAgent(run);
    try {
      checkReplayable(run.recording, spanId, planBeside(plan, run.recording, spanId));
    } catch (thrown) {
      if (!isReenactError(thrown)) throw thrown;
      throw new ReenactError(
        thrown.code,
        `The command makes ${runName(run)}, too, and it cannot be answered: ${thrown.message}`,
        {
          where: spanId,
          next: `Re-run this one alone, by its function: reenact replay ${rootSpanId} --entry <file>#<function>`,
          cause: thrown,
        },
      );
    }
  }
}
