import timers from 'node:timers';
import promises from 'node:timers/promises';
import { types } from 'node:util';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { handedOn } from '../results/observe-promise.ts';
import type { TimerRecord } from '../run/timer-tape.ts';
import { firingsAreTold, observeFiring } from './observe-firing.ts';
import { recordTimer } from './record-draw.ts';
import { timerSetBy } from './timer-set-by.ts';
import { watchIntervalValues } from './watch-interval-values.ts';

type Setter = (callback: unknown, delay?: unknown, ...parameters: unknown[]) => unknown;
type Clearer = (timer?: unknown) => void;
type Wait = (delay?: unknown, value?: unknown, options?: unknown) => Promise<unknown>;
type SchedulerWait = (delay: unknown, options?: unknown) => Promise<unknown>;

/** What is to be told of a timer that is cleared; of an interval, of its next firing. */
const watchedTimers = new WeakMap<object, { record: TimerRecord | undefined }>();

function watch(timer: object, record: TimerRecord, delay: unknown, repeats: boolean): void {
  const watched = { record: record as TimerRecord | undefined };
  watchedTimers.set(timer, watched);
  observeFiring(timer, () => {
    watched.record?.fired();
    watched.record = repeats ? recordTimer(delay) : undefined;
  });
}

function watchingSetter(original: Setter, repeats: boolean): Setter {
  const set: Setter = (callback, delay, ...parameters) => {
    // What is no function is refused by the original, in its own words.
    const record = typeof callback === 'function' ? recordTimer(delay) : undefined;
    const timer = original(callback, delay, ...parameters);
    if (record !== undefined && typeof timer === 'object' && timer !== null) watch(timer, record, delay, repeats);
    return timer;
  };
  return disguised(set, original);
}

function watchingClearer(original: Clearer): Clearer {
  const clear: Clearer = (timer) => {
    if (typeof timer === 'object' && timer !== null) watchedTimers.get(timer)?.record?.cancelled();
    original(timer);
  };
  return disguised(clear, original);
}

/** Whether the platform keeps a wait until it is over: it refuses some parameters, and a signal may cut it short. */
function isLasting(delay: unknown, options: unknown): boolean {
  return (delay === undefined || typeof delay === 'number') && options === undefined;
}

/**
 * Gives what is to be handed on in a wait's place. Whoever waits hears of the end after us. What may reject is not only listened to: its
 * failure would count as handled then.
 */
function watchedWait(waiting: Promise<unknown>, lasts: boolean, record: TimerRecord): Promise<unknown> {
  if (!types.isPromise(waiting)) return waiting;
  if (!lasts) return handedOn(waiting, { fulfilled: record.fired, rejected: record.cancelled });
  waiting.then(record.fired);
  return waiting;
}

function watchPromises(patches: PatchSet): void {
  patches.replace<Wait>(promises, 'setTimeout', (original) => {
    const set: Wait = (...parameters) => {
      const record = recordTimer(parameters[0]);
      const waiting = original(...parameters);
      return record === undefined ? waiting : watchedWait(waiting, isLasting(parameters[0], parameters[2]), record);
    };
    return disguised(set, original);
  });
  patches.replace<SchedulerWait>(Object.getPrototypeOf(promises.scheduler) as object, 'wait', (original) => {
    const wait = function (this: unknown, ...parameters: Parameters<SchedulerWait>): Promise<unknown> {
      const record = recordTimer(parameters[0]);
      const waiting = Reflect.apply(original, this, parameters) as Promise<unknown>;
      return record === undefined ? waiting : watchedWait(waiting, isLasting(parameters[0], parameters[1]), record);
    };
    return disguised(wait, original);
  });
}

const delayMsMax = 2 ** 31 - 1;

/** The platform's timer keeps such a signal weakly, and a listener of ours would keep it until it fires: its timer is watched, which nobody is given. */
function watchSignals(patches: PatchSet): void {
  patches.wrap(AbortSignal, 'timeout', ({ parameters, proceed }) => {
    const [delay] = parameters;
    const isDelay = typeof delay === 'number' && Number.isInteger(delay) && delay >= 0 && delay <= delayMsMax;
    if (!isDelay) return proceed();
    const record = recordTimer(delay);
    if (record === undefined) return proceed();
    const { begun, timer } = timerSetBy(delay, proceed);
    if (timer !== undefined) watch(timer, record, delay, false);
    return begun;
  });
}

function watchSetters(patches: PatchSet): void {
  const setters = {
    setTimeout: watchingSetter(globalThis.setTimeout as Setter, false),
    setInterval: watchingSetter(globalThis.setInterval as Setter, true),
  };
  const clearers = {
    clearTimeout: watchingClearer(globalThis.clearTimeout as Clearer),
    clearInterval: watchingClearer(globalThis.clearInterval as Clearer),
  };
  for (const owner of [globalThis, timers]) {
    for (const [name, replacement] of Object.entries({ ...setters, ...clearers }))
      patches.replace(owner, name, () => replacement);
  }
}

/**
 * Keeps, for the run around each call, where timers fired in the order of its events, and by when they were cleared: `setTimeout`,
 * `setInterval`, `AbortSignal.timeout`, those of `timers/promises` and `scheduler.wait`. What they return, call and throw stays as it is.
 */
export function watchTimers(patches: PatchSet): void {
  if (firingsAreTold()) {
    watchSetters(patches);
    watchIntervalValues(patches);
    watchSignals(patches);
  }
  watchPromises(patches);
}
