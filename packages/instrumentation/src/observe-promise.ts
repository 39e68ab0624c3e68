import { PROMISE_OBSERVERS_MAX } from './limits.ts';
import { guarded } from './report-failure.ts';
import { resultShape } from './result-shape.ts';

/** Told how a promise ended. Errors of any are caught. */
export interface PromiseObserver {
  fulfilled(value: unknown): void;
  rejected(error: unknown): void;
  /** Nobody ever waited for the promise-like, and nobody can any more. */
  dropped?(): void;
}

/** Who waits for one promise-like; several where the host hands the same object out again and again. */
class ObserverList implements PromiseObserver {
  private observers: PromiseObserver[] = [];

  add(observer: PromiseObserver): void {
    this.observers.push(observer);
    if (this.observers.length > PROMISE_OBSERVERS_MAX) this.observers.shift()?.dropped?.();
  }

  fulfilled(value: unknown): void {
    for (const observer of this.observers.splice(0)) observer.fulfilled(value);
  }

  rejected(error: unknown): void {
    for (const observer of this.observers.splice(0)) observer.rejected(error);
  }

  dropped(): void {
    for (const observer of this.observers.splice(0)) observer.dropped?.();
  }
}

const lists = new WeakMap<object, ObserverList>();
const dropped = new FinalizationRegistry<ObserverList>((list) => {
  guarded('observing a promise', () => list.dropped(), undefined);
});

type Handler = (value: unknown) => unknown;

function observeFulfilled(observer: PromiseObserver, handler: unknown): Handler {
  return (value) => {
    guarded('observing a promise', () => observer.fulfilled(value), undefined);
    return typeof handler === 'function' ? (handler as Handler)(value) : value;
  };
}

function observeRejected(observer: PromiseObserver, handler: unknown): Handler {
  return (error) => {
    guarded('observing a promise', () => observer.rejected(error), undefined);
    if (typeof handler === 'function') return (handler as Handler)(error);
    throw error;
  };
}

/**
 * A native promise is observed by a promise derived from it, which is handed on in its place: the host handles, or fails
 * to handle, the rejection exactly as before. What the host hung on the promise moves along.
 */
function derive(promise: Promise<unknown>, observer: PromiseObserver): Promise<unknown> {
  const derived = promise.then(observeFulfilled(observer, undefined), observeRejected(observer, undefined));
  const extras = Object.getOwnPropertyDescriptors(promise);
  if (Reflect.ownKeys(extras).length > 0)
    guarded('copying members', () => Object.defineProperties(derived, extras), derived);
  return derived;
}

/**
 * Any other promise-like stays the very object it is: its own `then` tells us when the host calls it. Calling it
 * ourselves would start lazy ones, such as query builders, a second time.
 */
function listen(thenable: object, observer: PromiseObserver): boolean {
  const known = lists.get(thenable);
  if (known !== undefined) {
    known.add(observer);
    return true;
  }
  const list = new ObserverList();
  if (!overlayThen(thenable, list)) return false;
  list.add(observer);
  lists.set(thenable, list);
  dropped.register(thenable, list);
  return true;
}

function overlayThen(thenable: object, observer: PromiseObserver): boolean {
  const original = Reflect.get(thenable, 'then') as (...parameters: unknown[]) => unknown;
  return Reflect.defineProperty(thenable, 'then', {
    configurable: true,
    writable: true,
    enumerable: false,
    value: function then(this: unknown, onFulfilled: unknown, onRejected: unknown, ...rest: unknown[]) {
      return Reflect.apply(original, this, [
        observeFulfilled(observer, onFulfilled),
        observeRejected(observer, onRejected),
        ...rest,
      ]);
    },
  });
}

/**
 * Observes a promise or promise-like without changing what the host sees of it. Returns what is to be handed to the host
 * in its place, or undefined where it cannot be observed.
 */
export function observePromise(promise: object, observer: PromiseObserver): object | undefined {
  const shape = resultShape(promise);
  if (shape === 'native-promise') return derive(promise as Promise<unknown>, observer);
  return shape === 'thenable' && listen(promise, observer) ? promise : undefined;
}
