import timers from 'node:timers';
import promises from 'node:timers/promises';
import { disguised, type PatchSet } from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';
import { callAtOnce } from '../schedule/call-timer.ts';
import { VirtualImmediate, type VirtualImmediateOptions } from './virtual-immediate.ts';

type Setter = (callback: unknown, ...parameters: unknown[]) => unknown;
type Clearer = (immediate: unknown) => void;
type Wait = (value?: unknown, options?: unknown) => Promise<unknown>;
type Yield = (options?: unknown) => Promise<unknown>;
type Callback = VirtualImmediateOptions['callback'];

/** An immediate of the run that the code belongs to which runs now; undefined: it is not known when it fired, so it is a real one. */
function virtualImmediate(
  times: ActiveTimes,
  options: Pick<VirtualImmediateOptions, 'callback' | 'parameters' | 'call'>,
): VirtualImmediate | undefined {
  const here = times.here();
  const recorded = here?.time.recordedTimer(here.position, 'immediate');
  if (here === undefined || recorded === undefined) return undefined;
  return new VirtualImmediate({ ...options, time: here.time, recorded });
}

function settingVirtually(times: ActiveTimes, original: Setter): Setter {
  const set: Setter = (callback, ...parameters) => {
    // What is no function is refused by the original, in its own words.
    if (typeof callback !== 'function') return original(callback, ...parameters);
    return virtualImmediate(times, { callback: callback as Callback, parameters }) ?? original(callback, ...parameters);
  };
  return disguised(set, original);
}

function clearingVirtually(original: Clearer): Clearer {
  const clear: Clearer = (immediate) => {
    if (immediate instanceof VirtualImmediate) immediate.close();
    else original(immediate);
  };
  return disguised(clear, original);
}

/** A wait for the next turn; undefined: it is a real one. Those with options may be cut short, and are real, too. */
function waitVirtually(times: ActiveTimes, value: unknown, options: unknown): Promise<unknown> | undefined {
  if (options !== undefined) return undefined;
  let given: Promise<unknown> | undefined;
  let resolve: (value: unknown) => void = () => undefined;
  if (virtualImmediate(times, { callback: () => resolve(value), parameters: [], call: callAtOnce }) !== undefined) {
    given = new Promise((resolved) => {
      resolve = resolved;
    });
  }
  return given;
}

/** Makes `setImmediate`, what clears it, and what waits for it fire inside replays where they were recorded to (docs/adr/0040). */
export function patchImmediates(patches: PatchSet, times: ActiveTimes): void {
  const setter = settingVirtually(times, globalThis.setImmediate as Setter);
  const clearer = clearingVirtually(globalThis.clearImmediate as Clearer);
  for (const owner of [globalThis, timers]) {
    patches.replace(owner, 'setImmediate', () => setter);
    patches.replace(owner, 'clearImmediate', () => clearer);
  }
  patches.replace<Wait>(promises, 'setImmediate', (original) => {
    const set: Wait = (...parameters) =>
      waitVirtually(times, ...(parameters as [unknown, unknown])) ?? original(...parameters);
    return disguised(set, original);
  });
  patches.replace<Yield>(Object.getPrototypeOf(promises.scheduler) as object, 'yield', (original) => {
    const wait = function (this: unknown, ...parameters: Parameters<Yield>): Promise<unknown> {
      return (
        waitVirtually(times, undefined, parameters[0]) ??
        (Reflect.apply(original, this, parameters) as Promise<unknown>)
      );
    };
    return disguised(wait, original);
  });
}
