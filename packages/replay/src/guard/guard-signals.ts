import { foreignTarget, OwnProcesses, type PatchSet } from '@reenact/instrumentation';
import type { EffectJudge } from './effect-judge.ts';

/**
 * Guards what reaches another process by its number: in a replay that number was recorded, or stands in a file, and belongs to whatever process has
 * it now. Returns how to stop listening for processes that this one starts.
 */
export function guardSignals(patches: PatchSet, judge: EffectJudge): () => void {
  const own = new OwnProcesses();
  patches.wrap(process, 'kill', ({ parameters, proceed }) => {
    const target = judge.ownerCount === 0 ? undefined : foreignTarget(parameters, own);
    const name = 'process.kill';
    const refusal =
      target === undefined
        ? undefined
        : judge.refusalOf(() => ({ type: 'program', name, target: `process ${target}` }));
    if (refusal !== undefined) throw refusal;
    return proceed();
  });
  return own.watch();
}
