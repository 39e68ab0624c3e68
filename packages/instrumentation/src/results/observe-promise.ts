import { types } from 'node:util';
import { context as contexts } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { PROMISE_OBSERVERS_MAX } from '../limits.ts';
import { resultShape } from './result-shape.ts';

/** Told how a promise ended. Errors of any are caught. */
export interface PromiseObserver {
  fulfilled(value: unknown): void;
  /** What is handed on in a value's place, of which `fulfilled` is not told then; undefined: nothing else. Asked about native promises only. */
  instead?(value: unknown): object | undefined;
  rejected(error: unknown): void;
  /** Runs what begins the work of a lazy promise-like. */
  around?<Result>(begin: () => Result): Result;
  /** Nobody ever waited for the promise-like, and nobody can any more. */
  dropped?(): void;
  /** It was waited for again, and gave another value than the first time. */
  gaveAnew?(): void;
}

/** A value to compare with later, of which nothing is kept alive. */
function heldWeakly(value: unknown): () => unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return () => value;
  const reference = new WeakRef(value);
  return () => reference.deref();
}

/** Who waits for one promise-like; several where the host hands the same object out again and again. */
class ObserverList implements PromiseObserver {
  private observers: PromiseObserver[] = [];
  /** Of those that have been told. */
  private last: PromiseObserver | undefined;
  private given: (() => unknown) | undefined;

  add(observer: PromiseObserver): void {
    this.observers.push(observer);
    if (this.observers.length > PROMISE_OBSERVERS_MAX) this.observers.shift()?.dropped?.();
  }

  fulfilled(value: unknown): void {
    if (this.observers.length === 0 && this.given !== undefined && !Object.is(this.given(), value)) {
      this.last?.gaveAnew?.();
    }
    this.given = heldWeakly(value);
    for (const observer of this.observers.splice(0)) {
      this.last = observer;
      observer.fulfilled(value);
    }
  }

  rejected(error: unknown): void {
    for (const observer of this.observers.splice(0)) {
      this.last = observer;
      observer.rejected(error);
    }
  }

  /** Whoever was given it first begins it, and once all have been told the latest of them begins it again. */
  around<Result>(begin: () => Result): Result {
    const whose = this.observers[0] ?? this.last;
    return whose?.around === undefined ? begin() : whose.around(begin);
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
    const instead = guarded('observing a promise', () => observer.instead?.(value), undefined);
    if (instead === undefined) guarded('observing a promise', () => observer.fulfilled(value), undefined);
    const given = instead ?? value;
    return typeof handler === 'function' ? (handler as Handler)(given) : given;
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
 * What to hand on in a promise's place so that an observer is told how it ends, before whoever waits is: a promise derived from it, for
 * one that is merely listened to counts as handled, and a failure that the host forgot would no longer end its process.
 */
export function handedOn<Value>(promise: Promise<Value>, observer: PromiseObserver): Promise<Value> {
  return promise.then(observeFulfilled(observer, undefined), observeRejected(observer, undefined)) as Promise<Value>;
}

/**
 * A native promise is observed by a promise derived from it, which is handed on in its place: the host handles, or fails
 * to handle, the rejection exactly as before. What the host hung on the promise moves along.
 */
function derive(promise: Promise<unknown>, observer: PromiseObserver): Promise<unknown> {
  // Read before anything is derived: a derived promise that nobody is given rejects unhandled.
  const extras = Reflect.ownKeys(promise).length === 0 ? undefined : Object.getOwnPropertyDescriptors(promise);
  const derived = handedOn(promise, observer);
  if (extras === undefined) return derived;
  return guarded('copying members', () => Object.defineProperties(derived, extras), derived);
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

type Method = (...parameters: unknown[]) => unknown;

/** What the host hands over runs where the host was, not inside of the work that it waits for. */
function inOwnContext(given: unknown): unknown {
  if (typeof given !== 'function') return given;
  return guarded('keeping a context', () => contexts.bind(contexts.active(), given), given);
}

function overlay(thenable: object, key: string, make: (original: Method) => Method): boolean {
  const value = make(Reflect.get(thenable, key) as Method);
  return Reflect.defineProperty(thenable, key, { configurable: true, writable: true, enumerable: false, value });
}

/**
 * What a lazy promise of a library has beside `then`: `catch`, `finally`, and methods of its class such as `asResponse`, which
 * wait for the work without a word to `then`.
 */
function waitingMethods(promise: object): Set<string> {
  const keys = new Set(['catch', 'finally']);
  for (
    let holder = Object.getPrototypeOf(promise);
    holder !== Promise.prototype;
    holder = Object.getPrototypeOf(holder)
  ) {
    if (typeof holder !== 'object' || holder === null) break;
    for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(holder))) {
      if (typeof value === 'function' && !/^(?:constructor$|then$|_)/.test(key)) keys.add(key);
    }
  }
  return keys;
}

/**
 * Whether what the host gives a method is a handler and nothing else. `catch` of Bluebird is given classes and conditions before it, and methods
 * of a library's own what they like: a class is one no more where anything stands in its place.
 */
function isHandlerOf(key: string, parameters: readonly unknown[]): boolean {
  return (key === 'catch' || key === 'finally') && parameters.length === 1;
}

/** Of a promise-like that is no promise. A query builder's other methods make another query of it. */
function catchingMethods(thenable: object): Set<string> {
  return new Set(['catch', 'finally'].filter((key) => typeof Reflect.get(thenable, key) === 'function'));
}

function overlayThen(thenable: object, observer: PromiseObserver): boolean {
  // One method of a promise may call another of the same; only what the host calls is observed.
  let isInside = false;
  let thens = 0;
  const entered = (original: Method, self: unknown, parameters: unknown[], isOfHost = false): unknown => {
    isInside = true;
    const begin = (): unknown => Reflect.apply(original, self, parameters);
    try {
      return isOfHost || observer.around === undefined ? begin() : observer.around(begin);
    } finally {
      isInside = false;
    }
  };
  const isOverlaid = overlay(thenable, 'then', (original) => {
    return function then(this: unknown, onFulfilled: unknown, onRejected: unknown, ...rest: unknown[]) {
      thens += 1;
      const [fulfil, reject] = [inOwnContext(onFulfilled), inOwnContext(onRejected)];
      const handlers = [observeFulfilled(observer, fulfil), observeRejected(observer, reject)];
      return entered(original, this, [...handlers, ...rest]);
    };
  });
  if (!isOverlaid) return false;
  const isPromise = types.isPromise(thenable);
  for (const key of isPromise ? waitingMethods(thenable) : catchingMethods(thenable)) {
    overlay(thenable, key, (original) => {
      return function waiting(this: unknown, ...parameters: unknown[]) {
        if (isInside) return Reflect.apply(original, this, parameters);
        const isHandler = isHandlerOf(key, parameters);
        const own = isHandler ? parameters.map(inOwnContext) : parameters;
        const given = isHandler && key === 'catch' ? [observeRejected(observer, own[0])] : own;
        // Functions that are handed over untouched run where the host is.
        const isOfHost = !isHandler && parameters.some((parameter) => typeof parameter === 'function');
        const before = thens;
        const result = entered(original, this, given, isOfHost);
        // What it did by its `then` is observed there.
        if (!isPromise && thens > before) return result;
        return resultShape(result) === 'native-promise' ? derive(result as Promise<unknown>, observer) : result;
      };
    });
  }
  return true;
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
