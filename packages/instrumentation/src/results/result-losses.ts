import { types } from 'node:util';
import { PROMISE_MARK, RESULTS_MARK } from '@reenact/trace-model';
import type { OpenCrossing } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { GIVEN_ANEW_MAX } from '../limits.ts';
import type { CrossingScope } from '../run/crossing-scope.ts';
import { isPromisePrototype } from './platform-promise.ts';

/** What waits for a promise, and what a replay's has of itself. */
const promiseMembers: ReadonlySet<PropertyKey> = new Set([
  'then',
  'catch',
  'finally',
  'constructor',
  Symbol.toStringTag,
]);
/**
 * Whether a member can be found by a host that was given the object. Symbols that only their maker has are no part of it: Node.js itself
 * hangs some on promises, where somebody watches asynchronous work.
 */
export function isFindable(key: PropertyKey): boolean {
  return typeof key !== 'symbol' || Symbol.keyFor(key) !== undefined || key.description?.startsWith('Symbol.') === true;
}

function isOfHost(key: PropertyKey): boolean {
  return !promiseMembers.has(key) && isFindable(key);
}

/** Whether a class adds anything that a caller could use; by convention what begins with an underscore is its own. */
function addsMembers(prototype: object): boolean {
  for (
    let holder: object | null = prototype;
    holder !== null;
    holder = Object.getPrototypeOf(holder) as object | null
  ) {
    if (holder === Object.prototype || isPromisePrototype(holder)) return false;
    if (Reflect.ownKeys(holder).some((key) => isOfHost(key) && !String(key).startsWith('_'))) return true;
  }
  return false;
}

/** Node.js hangs the `node:domain` in which it was made on each promise, where it does not show; that of Google's functions is one. */
function isOfDomain(promise: object, key: PropertyKey): boolean {
  return key === 'domain' && Object.getOwnPropertyDescriptor(promise, key)?.enumerable === false;
}

/** What of a promise or promise-like is lost: a replay gives a plain promise of what it resolved to. Undefined where nothing is. */
export function lostOfPromise(promise: object): string | undefined {
  const prototype = Object.getPrototypeOf(promise) as object | null;
  if (prototype !== Object.prototype && prototype !== null && !isPromisePrototype(prototype)) {
    // Of a class of promises `instanceof` is lost, too.
    if (types.isPromise(promise) || addsMembers(prototype)) return `of class ${prototype.constructor.name}`;
    return undefined;
  }
  const keys = Reflect.ownKeys(promise);
  return keys.length > 0 && keys.some((key) => isOfHost(key) && !isOfDomain(promise, key)) ? 'with members' : undefined;
}

/** Notes what of a promise that a function gave does not come back. Never throws. */
export function markLostOfPromise(crossing: OpenCrossing, promise: object): void {
  const lost = guarded('looking at a promise', () => lostOfPromise(promise), undefined);
  if (lost !== undefined) crossing.markLossy(`${PROMISE_MARK}${lost}`);
}

/**
 * Notes for the agent around a call that what it gave was waited for again, and gave something else: a lazy promise-like runs each time,
 * and a replay gives what was recorded of the first. The call itself has long ended. Never throws.
 */
export function markGivenAnew(scope: CrossingScope | undefined, { boundary }: OpenCrossing): void {
  note(scope, `${boundary.kind}:${boundary.name} gave another value when it was waited for again`);
}

/** The same of a stream that was read again, of which a replay may not have what was read then. */
export function markReadAgain(scope: CrossingScope | undefined, { boundary }: OpenCrossing): void {
  note(scope, `${boundary.kind}:${boundary.name} was read again, which was not recorded`);
}

function note(scope: CrossingScope | undefined, what: string): void {
  // Elsewhere the outcome of what is around it is served.
  if (scope?.isAgent !== true || scope.hasEnded === true) return;
  scope.givenAnew ??= new Set();
  if (scope.givenAnew.size < GIVEN_ANEW_MAX) scope.givenAnew.add(what);
}

/** The lossy marks for that. */
export function marksOfGivenAnew({ givenAnew }: CrossingScope): string[] {
  if (givenAnew === undefined) return [];
  return Array.from(givenAnew, (what) => `${RESULTS_MARK}${what}`);
}
