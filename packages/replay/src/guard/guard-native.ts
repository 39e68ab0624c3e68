import { basename } from 'node:path';
import type { PatchSet } from '@reenact/instrumentation';
import type { EffectJudge } from './effect-judge.ts';

const framesRead = 4;

/** Whether Node's own module loader is calling, as it does for `require` of a `.node` file. */
function isLoadingModule(): boolean {
  const before = Error.stackTraceLimit;
  try {
    Error.stackTraceLimit = framesRead;
    const { stack } = new Error('who loads');
    return stack?.includes('node:internal/modules/') === true;
  } finally {
    Error.stackTraceLimit = before;
  }
}

/**
 * Native add-ons that are required are let in and named in the report, for half of npm needs one to start; what they do is out
 * of the guard's sight. Loading a library in any other way is refused.
 */
export function guardNative(patches: PatchSet, judge: EffectJudge): void {
  patches.wrap(process, 'dlopen', ({ parameters, proceed }) => {
    const path = String(parameters[1]);
    if (isLoadingModule()) {
      judge.note(`The native add-on ${basename(path)} was loaded: the guard does not see what it does (${path}).`);
      return proceed();
    }
    const refusal = judge.refusalOf(() => ({ type: 'program', name: 'process.dlopen', target: path }));
    if (refusal !== undefined) throw refusal;
    return proceed();
  });
}
