import timers from 'node:timers';
import { disguised, type PatchSet } from '@reenact/instrumentation';
import type { ActiveTimes } from './active-times.ts';
import { VirtualTimeout, type VirtualTimeoutOptions, virtualTimeoutOf } from './virtual-timeout.ts';

type Setter = (callback: unknown, delay?: unknown, ...parameters: unknown[]) => unknown;
type Clearer = (timer: unknown) => void;

function settingVirtually(times: ActiveTimes, original: Setter, repeats: boolean): Setter {
  const set: Setter = (callback, delay, ...parameters) => {
    const here = times.here();
    // What is no function is refused by the original, in its own words.
    if (here === undefined || typeof callback !== 'function') return original(callback, delay, ...parameters);
    const called = callback as VirtualTimeoutOptions['callback'];
    return new VirtualTimeout({ ...here, callback: called, parameters, delay, repeats });
  };
  return disguised(set, original);
}

function clearingVirtually(original: Clearer): Clearer {
  const clear: Clearer = (timer) => {
    const virtual = virtualTimeoutOf(timer);
    if (virtual === undefined) original(timer);
    else virtual.close();
  };
  return disguised(clear, original);
}

function timeoutSignal(times: ActiveTimes): (delay: number) => AbortSignal | undefined {
  return (delay) => {
    const here = times.here();
    if (here === undefined || !Number.isSafeInteger(delay) || delay < 0) return undefined;
    const controller = new AbortController();
    const callback = (): void =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    new VirtualTimeout({
      ...here,
      callback,
      parameters: [],
      delay,
      repeats: false,
      isHolding: false,
    });
    return controller.signal;
  };
}

/** Makes `setTimeout`, `setInterval`, what clears them, and `AbortSignal.timeout` virtual inside replays. */
export function patchTimers(patches: PatchSet, times: ActiveTimes): void {
  const setters = {
    setTimeout: settingVirtually(times, globalThis.setTimeout as Setter, false),
    setInterval: settingVirtually(times, globalThis.setInterval as Setter, true),
  };
  const clearers = {
    clearTimeout: clearingVirtually(globalThis.clearTimeout as Clearer),
    clearInterval: clearingVirtually(globalThis.clearInterval as Clearer),
  };
  for (const owner of [globalThis, timers]) {
    for (const [name, replacement] of Object.entries({ ...setters, ...clearers })) {
      patches.replace(owner, name, () => replacement);
    }
  }
  const virtually = timeoutSignal(times);
  patches.wrap(AbortSignal, 'timeout', ({ parameters, proceed }) => virtually(parameters[0] as number) ?? proceed());
}
