import vm from 'node:vm';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';

/** Node.js makes one context for itself by the same functions, such as when a web stream is first let go; it draws nothing there. */
function isOfNode(options: unknown): boolean {
  if (typeof options !== 'object' || options === null) return false;
  return guarded('telling whose context it is', () => Reflect.get(options, 'contextName') === 'internal', false);
}

/**
 * Calls `onCode` whenever code is about to run in a context of `node:vm`, however it came there: such a context has a `Date` and a `Math`
 * of its own, which nobody watches. `onCode` must not throw.
 */
export function watchContexts(patches: PatchSet, onCode: () => void): void {
  // `vm.runInContext` and both functions for new contexts come to this method, too.
  patches.replace<vm.Script['runInContext']>(vm.Script.prototype, 'runInContext', (original) => {
    const watched = function runInContext(this: vm.Script, ...parameters: Parameters<typeof original>): unknown {
      if (!isOfNode(parameters[1])) onCode();
      return Reflect.apply(original, this, parameters);
    };
    return disguised(watched, original) as typeof original;
  });
}
