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

/** A promise-like that is listened to, and what is handed to the host for it. */
interface Listened {
  readonly list: ObserverList;
  readonly handed: WeakRef<object>;
}

const listened = new WeakMap<object, Listened>();
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
 * Any other promise-like stays the very object it is, where it can be given methods: its own `then` tells us when the host calls it. Calling it
 * ourselves would start lazy ones, such as query builders, a second time. Gives what to hand on in its place.
 */
function listen(thenable: object, observer: PromiseObserver): object | undefined {
  const known = listened.get(thenable);
  const handedBefore = known?.handed.deref();
  if (known !== undefined && handedBefore !== undefined) {
    known.list.add(observer);
    return handedBefore;
  }
  const list = new ObserverList();
  const handed = observeThen(thenable, list, overlay) ? thenable : standIn(thenable, list);
  if (handed === undefined) return undefined;
  list.add(observer);
  for (const one of new Set([thenable, handed])) listened.set(one, { list, handed: new WeakRef(handed) });
  dropped.register(handed, list);
  return handed;
}

type Method = (...parameters: unknown[]) => unknown;

/** What the host hands over runs where the host was, not inside of the work that it waits for. */
function inOwnContext(given: unknown): unknown {
  if (typeof given !== 'function') return given;
  return guarded('keeping a context', () => contexts.bind(contexts.active(), given), given);
}

/** Has `key` of a promise-like be what is made of the method that it has there. False: it cannot. */
type PutMethod = (thenable: object, key: string, make: (original: Method) => Method) => boolean;

function overlay(thenable: object, key: string, make: (original: Method) => Method): boolean {
  const before = Object.getOwnPropertyDescriptor(thenable, key);
  const value = make(Reflect.get(thenable, key) as Method);
  const descriptor = { configurable: true, writable: true, enumerable: false, value };
  if (!Reflect.defineProperty(thenable, key, descriptor)) return false;
  if (Reflect.get(thenable, key) === value) return true;
  // A proxy that has a `then` of its own whatever its target is given, as LangSmith's `traceable` hands out.
  if (before === undefined) Reflect.deleteProperty(thenable, key);
  else Reflect.defineProperty(thenable, key, before);
  return false;
}

/** What stands for a promise-like that takes no methods; undefined where it could be told from it. */
function standIn(thenable: object, observer: PromiseObserver): object | undefined {
  const methods = new Map<PropertyKey, Method>();
  const proxy: object = new Proxy(thenable, {
    get: (target, key) => methods.get(key) ?? Reflect.get(target, key),
  });
  const isPut = observeThen(thenable, observer, (_thenable, key, make) => {
    if (Object.getOwnPropertyDescriptor(thenable, key)?.configurable === false) return false;
    const original = Reflect.get(thenable, key) as Method;
    const method: Method = function (this: unknown, ...parameters) {
      return Reflect.apply(original, this === proxy ? thenable : this, parameters);
    };
    methods.set(key, make(method));
    return true;
  });
  return isPut ? proxy : undefined;
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

function observeThen(thenable: object, observer: PromiseObserver, put: PutMethod): boolean {
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
  const isPut = put(thenable, 'then', (original) => {
    return function then(this: unknown, onFulfilled: unknown, onRejected: unknown, ...rest: unknown[]) {
      thens += 1;
      const [fulfil, reject] = [inOwnContext(onFulfilled), inOwnContext(onRejected)];
      const handlers = [observeFulfilled(observer, fulfil), observeRejected(observer, reject)];
      return entered(original, this, [...handlers, ...rest]);
    };
  });
  if (!isPut) return false;
  const isPromise = types.isPromise(thenable);
  for (const key of isPromise ? waitingMethods(thenable) : catchingMethods(thenable)) {
    put(thenable, key, (original) => {
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
        const shape = guarded('looking at a promise', () => resultShape(result), 'value');
        return shape === 'native-promise' ? derive(result as Promise<unknown>, observer) : result;
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
  return shape === 'thenable' ? listen(promise, observer) : undefined;
}
