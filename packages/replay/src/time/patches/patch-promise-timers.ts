import type { TimerOptions as PromiseTimerOptions } from 'node:timers';
import promises from 'node:timers/promises';
import { asOwnWork, disguised, type PatchSet } from '@reenact/instrumentation';
import type { ActiveTimes, TimeHere } from '../active-times.ts';
import { callAtOnce } from '../schedule/call-timer.ts';
import { VirtualTimeout } from './virtual-timeout.ts';

type Wait = (delay?: number, value?: unknown, options?: PromiseTimerOptions) => Promise<unknown>;
type Repeat = (delay?: number, value?: unknown, options?: PromiseTimerOptions) => AsyncIterator<unknown>;
type SchedulerWait = (delay: number, options?: PromiseTimerOptions) => Promise<unknown>;

function isOptional(value: unknown, type: string): boolean {
  return value === undefined || typeof value === type;
}

/** Whether the platform would take these parameters; what it would not, it refuses itself. */
function isValid(delay: unknown, options: PromiseTimerOptions | undefined): boolean {
  if (!isOptional(delay, 'number') || !isOptional(options, 'object') || options === null) return false;
  const { signal, ref } = options ?? {};
  return isOptional(ref, 'boolean') && (signal === undefined || signal instanceof AbortSignal);
}

function waitVirtually(here: TimeHere, original: Wait, parameters: Parameters<Wait>): Promise<unknown> {
  const [delay, value, options] = parameters;
  const signal = options?.signal;
  // Of an aborted signal the platform makes the error itself.
  if (signal?.aborted === true) return original(...parameters);
  return new Promise((resolve) => {
    const aborted = (): void => {
      timer.close();
      // Of no run: what its recording keeps is the timer that was cleared.
      resolve(asOwnWork(() => original(...parameters)));
    };
    const callback = (): void => {
      signal?.removeEventListener('abort', aborted);
      resolve(value);
    };
    const timer = new VirtualTimeout({
      ...here,
      callback,
      parameters: [],
      call: callAtOnce,
      delay,
      repeats: false,
      isHolding: options?.ref !== false,
    });
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** The values of an interval. A tick that nobody waited for is not lost: it is given at once when asked for. */
async function* repeatVirtually(here: TimeHere, original: Repeat, parameters: Parameters<Repeat>) {
  const [delay, value, options] = parameters;
  const signal = options?.signal;
  let ticks = 0;
  let wake = (): void => undefined;
  const callback = (): void => {
    ticks += 1;
    wake();
  };
  const aborted = (): void => wake();
  const isHolding = options?.ref !== false;
  const timer = new VirtualTimeout({
    ...here,
    callback,
    parameters: [],
    call: callAtOnce,
    delay,
    repeats: true,
    isHolding,
  });
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    for (;;) {
      if (signal?.aborted === true) return await original(...parameters).next();
      for (; ticks > 0; ticks -= 1) yield value;
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (ticks > 0 || signal?.aborted === true) resolve();
      });
    }
  } finally {
    timer.close();
    signal?.removeEventListener('abort', aborted);
  }
}

/** Makes `timers/promises` virtual inside replays; `util.promisify(setTimeout)` gives the function from there. */
export function patchPromiseTimers(patches: PatchSet, times: ActiveTimes): void {
  const wait = promises.setTimeout as Wait;
  patches.replace<Wait>(promises, 'setTimeout', (original) => {
    const set: Wait = (...parameters) => {
      const here = times.here();
      const [delay, , options] = parameters;
      if (here === undefined || !isValid(delay, options)) return original(...parameters);
      return waitVirtually(here, original, parameters);
    };
    return disguised(set, original);
  });
  patches.replace<Repeat>(promises, 'setInterval', (original) => {
    const set: Repeat = (...parameters) => {
      const here = times.here();
      const [delay, , options] = parameters;
      if (here === undefined || !isValid(delay, options) || options?.signal?.aborted === true) {
        return original(...parameters);
      }
      return repeatVirtually(here, original, parameters);
    };
    return disguised(set, original);
  });
  patches.replace<SchedulerWait>(Object.getPrototypeOf(promises.scheduler) as object, 'wait', (original) => {
    const set = function waitOn(this: unknown, delay: number, options?: PromiseTimerOptions): Promise<unknown> {
      const here = times.here();
      if (here === undefined || typeof delay !== 'number' || !isValid(delay, options)) {
        return Reflect.apply(original, this, [delay, options]);
      }
      return waitVirtually(here, wait, [delay, undefined, options]);
    };
    return disguised(set, original);
  });
}
