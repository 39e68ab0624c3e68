import timers from 'node:timers';
import promises from 'node:timers/promises';
import { types } from 'node:util';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import type { TimerRecord } from '../run/timer-tape.ts';
import { firingsAreTold, observeFiring } from './observe-firing.ts';
import { recordImmediate } from './record-draw.ts';

type Setter = (callback: unknown, ...parameters: unknown[]) => unknown;
type Clearer = (immediate?: unknown) => void;
type Wait = (value?: unknown, options?: unknown) => Promise<unknown>;
type Yield = (options?: unknown) => Promise<unknown>;

/** What is to be told of an immediate that is cleared. */
const watchedImmediates = new WeakMap<object, TimerRecord>();

function watchingSetter(original: Setter): Setter {
  const set: Setter = (callback, ...parameters) => {
    // What is no function is refused by the original, in its own words.
    const record = typeof callback === 'function' ? recordImmediate() : undefined;
    const immediate = original(callback, ...parameters);
    if (record !== undefined && typeof immediate === 'object' && immediate !== null) {
      watchedImmediates.set(immediate, record);
      observeFiring(immediate, record.fired);
    }
    return immediate;
  };
  return disguised(set, original);
}

function watchingClearer(original: Clearer): Clearer {
  const clear: Clearer = (immediate) => {
    if (typeof immediate === 'object' && immediate !== null) watchedImmediates.get(immediate)?.cancelled();
    original(immediate);
  };
  return disguised(clear, original);
}

/** One with options may be cut short: a replay leaves that to the platform. */
function watched(options: unknown, begin: () => Promise<unknown>): Promise<unknown> {
  const record = options === undefined ? recordImmediate() : undefined;
  const waiting = begin();
  // Whoever waits hears of it after us.
  if (record !== undefined && types.isPromise(waiting)) waiting.then(record.fired);
  return waiting;
}

function watchSetters(patches: PatchSet): void {
  const setter = watchingSetter(globalThis.setImmediate as Setter);
  const clearer = watchingClearer(globalThis.clearImmediate as Clearer);
  for (const owner of [globalThis, timers]) {
    patches.replace(owner, 'setImmediate', () => setter);
    patches.replace(owner, 'clearImmediate', () => clearer);
  }
}

/** The same of `setImmediate` as `watchTimers` keeps of timers, of the one in `timers/promises`, and of `scheduler.yield`. */
export function watchImmediates(patches: PatchSet): void {
  if (firingsAreTold()) watchSetters(patches);
  patches.replace<Wait>(promises, 'setImmediate', (original) => {
    const set: Wait = (...parameters) => watched(parameters[1], () => original(...parameters));
    return disguised(set, original);
  });
  patches.replace<Yield>(Object.getPrototypeOf(promises.scheduler) as object, 'yield', (original) => {
    const wait = function (this: unknown, ...parameters: Parameters<Yield>): Promise<unknown> {
      return watched(parameters[0], () => Reflect.apply(original, this, parameters));
    };
    return disguised(wait, original);
  });
}
