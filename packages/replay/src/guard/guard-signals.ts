import { foreignTarget, OwnProcesses, type PatchSet, priorityTarget, takesSignal } from '@reenact/instrumentation';
import type { EffectJudge } from './effect-judge.ts';

/**
 * Guards what reaches another process by its number: in a replay that number was recorded, or stands in a file, and belongs to whatever process has
 * it now. Returns how to stop listening for processes that this one starts.
 */
export function guardSignals(patches: PatchSet, judge: EffectJudge): () => void {
  const own = new OwnProcesses();
  const refuseOf = (name: string, parameters: readonly unknown[]): void => {
    const target = judge.ownerCount === 0 ? undefined : foreignTarget(parameters, own);
    if (target === undefined) return;
    const refusal = judge.refusalOf(() => ({ type: 'program', name, target: `process ${target}` }));
    if (refusal !== undefined) throw refusal;
  };
  patches.wrap(process, 'kill', ({ parameters, proceed }) => {
    if (takesSignal(parameters)) return true;
    refuseOf('process.kill', parameters);
    return proceed();
  });
  patches.wrap(process.getBuiltinModule('node:os'), 'setPriority', ({ parameters, proceed }) => {
    refuseOf('os.setPriority', priorityTarget(parameters));
    return proceed();
  });
  return own.watch();
}
