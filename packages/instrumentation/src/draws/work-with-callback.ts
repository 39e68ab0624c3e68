import type { Behaviour } from '../patching/patch-set.ts';
import type { WorkOf } from './outside-work.ts';

type Callback = (...parameters: unknown[]) => unknown;

/**
 * The same function to whoever calls it, which is told of just before. The engine asks the handler how to call it and then calls the original itself: a function of
 * ours around it would be a line of every stack that is made there.
 */
export function toldOf(callback: Callback, told: () => void): Callback {
  const handler = {
    get apply() {
      told();
      return undefined;
    },
  };
  return new Proxy(callback, handler as object);
}

/** Asks about the work of a function that calls back; without a callback it is another function. */
export function workWithCallback(name: string, workOf: WorkOf): Behaviour {
  return ({ parameters, proceed }) => {
    const callback = parameters.at(-1);
    const work = typeof callback === 'function' ? workOf(name) : undefined;
    if (work === undefined) return proceed();
    const told = toldOf(callback as Callback, () => work.ended());
    let result: unknown;
    work.begin(() => {
      result = proceed([...parameters.slice(0, -1), told]);
    });
    return result;
  };
}
