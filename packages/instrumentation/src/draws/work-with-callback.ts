import { pristine } from '../host/pristine.ts';
import type { Behaviour } from '../patching/patch-set.ts';
import { isKeptAlready, keptAlready } from './kept-bytes.ts';
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
  const same = new Proxy(callback, handler as object);
  return isKeptAlready(callback) ? keptAlready(same) : same;
}

/** Asks about the work of a function that calls back; without a callback it is another function. */
export function workWithCallback(name: string, workOf: WorkOf): Behaviour {
  return ({ parameters, proceed }) => {
    const callback = parameters.at(-1);
    const work = typeof callback === 'function' ? workOf(name) : undefined;
    if (work === undefined) return proceed();
    let hasEnded = false;
    let hasReturned = false;
    const told = toldOf(callback as Callback, () => {
      hasEnded = true;
      work.ended();
    });
    let result: unknown;
    work.begin(() => {
      try {
        result = proceed([...parameters.slice(0, -1), told]);
      } catch (thrown) {
        if (!hasReturned || hasEnded) throw thrown;
        // Whoever called has gone on: it hears of this as of any other failure.
        pristine.nextTick(told, thrown);
      }
    });
    hasReturned = true;
    return result;
  };
}
