import { subtreeOf } from '@reenact/recordings';
import type { Recording } from '@reenact/trace-model';
import type { Plan } from './plan-schema.ts';
import { selectedIn } from './selected-crossings.ts';

/**
 * The plan by which a run beside the replayed one is answered: everything from its recording. What is tried, is tried on the one run that
 * was named; only what is never compared holds in all of them.
 */
export function planBeside(plan: Plan, recording: Recording, rootSpanId: string): Plan {
  const { fork: _fork, throughServices: _throughServices, ...rest } = plan;
  const select = selectedIn(subtreeOf(recording, rootSpanId), recording);
  const ignore = plan.ignore.filter(({ selector }) => select(selector).matched.length > 0);
  return { ...rest, rules: [], ignore, stopOnDivergence: false };
}
