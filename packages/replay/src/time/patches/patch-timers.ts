import timers from 'node:timers';
import { asOwnWork, disguised, type PatchSet, pristine, withCallPlace } from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';
import type { CallTimer } from '../schedule/call-timer.ts';
import { VirtualTimeout, type VirtualTimeoutOptions, virtualTimeoutOf } from './virtual-timeout.ts';

type Setter = (callback: unknown, delay?: unknown, ...parameters: unknown[]) => unknown;
type Clearer = (timer: unknown) => void;

function settingVirtually(times: ActiveTimes, original: Setter, repeats: boolean): Setter {
  const set: Setter = (callback, delay, ...parameters) => {
    const here = times.here();
    // What is no function is refused by the original, in its own words.
    if (here === undefined || typeof callback !== 'function') return original(callback, delay, ...parameters);
    const called = callback as VirtualTimeoutOptions['callback'];
    // Libraries make their first call from a timer, as helpers of models do that stream.
    return withCallPlace(set, () => new VirtualTimeout({ ...here, callback: called, parameters, delay, repeats }));
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

/** No signal of one millisecond takes as long. */
const SIGNAL_MS_MAX = 10_000;

type SignalOf = (delayMs: number) => AbortSignal;

/** Has the platform end a signal of its own: the reason that it makes says in its stack where it was made. */
function callAsSignal(original: SignalOf): CallTimer {
  return ({ callback }, began) => {
    let isTakenBack = false;
    // Of no run: what its recording keeps is the signal that the agent has.
    const signal = asOwnWork(() => original(1));
    // Such a signal does not keep the process; and what fires in one turn with it would be a line of stacks.
    const holding = pristine.setTimeout(() => undefined, SIGNAL_MS_MAX);
    const ended = (): void => {
      pristine.clearTimeout(holding);
      if (isTakenBack) return;
      began();
      callback(signal.reason);
    };
    signal.addEventListener('abort', ended, { once: true });
    return () => {
      isTakenBack = true;
      pristine.clearTimeout(holding);
    };
  };
}

function timeoutSignal(times: ActiveTimes, original: SignalOf, delay: number): AbortSignal | undefined {
  const here = times.here();
  if (here === undefined || !Number.isSafeInteger(delay) || delay < 0) return undefined;
  const controller = new AbortController();
  new VirtualTimeout({
    ...here,
    callback: (reason) => controller.abort(reason),
    parameters: [],
    call: callAsSignal(original),
    delay,
    repeats: false,
    isHolding: false,
  });
  return controller.signal;
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
  patches.wrap(AbortSignal, 'timeout', ({ parameters, proceed }) => {
    const original: SignalOf = (delayMs) => proceed([delayMs]) as AbortSignal;
    return timeoutSignal(times, original, parameters[0] as number) ?? proceed();
  });
}
