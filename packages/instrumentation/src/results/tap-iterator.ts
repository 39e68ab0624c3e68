import { context as contexts } from '@opentelemetry/api';
import type { OpenCrossing } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { scopeOf } from '../run/crossing-scope.ts';
import { MicrotaskCount } from './microtask-count.ts';
import { observePromise } from './observe-promise.ts';
import { isFindable, markReadAgain } from './result-losses.ts';
import { resultShape } from './result-shape.ts';
import { StreamTape } from './stream-tape.ts';

type Step = 'next' | 'return' | 'throw';
type Method = (this: unknown, ...parameters: unknown[]) => unknown;

const STEPS: readonly Step[] = ['next', 'return', 'throw'];

/**
 * The crossing that watches one iterator or iterable. Where the host hands the same object out again, the newer crossing
 * takes over, so that nothing piles up on the object.
 */
interface Watch {
  crossing: OpenCrossing;
  tape: StreamTape;
  /** Of an iterable: whether the watching crossing has seen it read already. */
  wasRead: boolean;
  /** Of an iterable: its first reading, which is all that a replay has. */
  firstReading?: Watch | undefined;
  /** Of an iterator: whether it gave another one to be read in its place. */
  isReadElsewhere: boolean;
}

const watches = new WeakMap<object, Watch>();

/** Each iterator that is read in place of another, with that one, which it holds: a loop holds nothing but what it reads. */
const readFor = new WeakMap<object, object>();

/** Streams that were dropped half-read end here: nobody can see their end any more. */
const dropped = new FinalizationRegistry<Watch>(({ crossing }) => {
  crossing.abandon();
});

/** The same for iterables that nobody read; the iterator of one that was read is watched by itself. */
const unread = new FinalizationRegistry<Watch>(({ crossing, wasRead }) => {
  if (!wasRead) crossing.abandon();
});

function isResult(value: unknown): value is { readonly done?: unknown; readonly value?: unknown } {
  return typeof value === 'object' && value !== null;
}

function passed(tape: StreamTape, step: Step, result: unknown, microtasks?: number): void {
  if (!isResult(result)) return;
  if (!result.done) {
    // A replay's ends there.
    if (step !== 'next') tape.wentOn(step);
    tape.chunk(result.value, microtasks);
  } else if (step === 'return') tape.aborted(microtasks);
  else tape.ended(result.value, microtasks);
}

function tapStep(watch: Watch, step: Step, original: Method, isAsync: boolean): Method {
  return function tapped(this: unknown, ...parameters: unknown[]) {
    const { crossing, tape } = watch;
    let result: unknown;
    // It hands on to its reader, where the same is seen.
    if (step === 'next' && watch.isReadElsewhere && !readFor.has(this as object))
      return runInContext(crossing.context, () => Reflect.apply(original, this, parameters));
    if (isAsync) guarded('observing a stream', () => (step === 'next' ? tape.asks() : tape.closing()), undefined);
    try {
      result = runInContext(crossing.context, () => Reflect.apply(original, this, parameters));
    } catch (error) {
      tape.failed(error);
      throw error;
    }
    if (!isAsync || typeof result !== 'object' || result === null) {
      guarded('observing a stream', () => passed(tape, step, result), undefined);
      return result;
    }
    return observeStep({ crossing, tape }, step, result);
  };
}

function observeStep({ crossing, tape }: Pick<Watch, 'crossing' | 'tape'>, step: Step, result: object): object {
  // A promise-like may begin only when it is waited for.
  const shape = guarded('observing a stream', () => resultShape(result), 'value');
  const count = shape === 'native-promise' ? new MicrotaskCount(crossing) : undefined;
  const observer = {
    fulfilled: (value: unknown) => {
      if (step === 'next') tape.answered();
      passed(tape, step, value, count?.stop());
    },
    rejected: (error: unknown) => tape.failed(error, count?.stop()),
  };
  const observed = guarded('observing a stream', () => observePromise(result, observer), undefined);
  count?.begin();
  if (observed !== undefined) return observed;
  guarded('observing a stream', () => passed(tape, step, result), undefined);
  return result;
}

function overlay(target: object, key: PropertyKey, method: Method): boolean {
  return Reflect.defineProperty(target, key, { value: method, configurable: true, writable: true, enumerable: false });
}

const iteratorMembers: ReadonlySet<PropertyKey> = new Set([
  'constructor',
  ...STEPS,
  Symbol.iterator,
  Symbol.asyncIterator,
  Symbol.toStringTag,
  Symbol.dispose,
  Symbol.asyncDispose,
]);

/** Nobody can tell a generator from such a class, which a native add-on made and exports nowhere: the rows of better-sqlite3. */
function isNativeIterator(prototype: object): boolean {
  const made: unknown = prototype.constructor;
  // That of a generator is none, and throws where it is to say what it is.
  if (typeof made !== 'function' || !/\{ \[native code\] \}$/.test(String(made))) return false;
  return Reflect.ownKeys(prototype).every((key) => iteratorMembers.has(key));
}

/** A replay serves generators and plain objects; what a class of the user's own adds, or what was hung on one, does not come back. */
function markLost(crossing: OpenCrossing, iterator: object): void {
  const prototype = Object.getPrototypeOf(iterator) as { readonly constructor?: { readonly name?: string } } | null;
  if (prototype !== null && isNativeIterator(prototype)) return;
  if (Reflect.ownKeys(iterator).some((key) => !iteratorMembers.has(key) && isFindable(key)))
    crossing.markLossy('/output iterator with members');
  const tag = Object.prototype.toString.call(iterator).slice('[object '.length, -1);
  if (/Generator$|Iterator$|Iterator Helper$/.test(tag)) return;
  if (prototype === null || prototype === Object.prototype) return;
  crossing.markLossy(`/output class ${prototype.constructor?.name ?? tag}`);
}

/** True where the object is watched already; the crossing that watched it sees no more of it. */
function takeOver(target: object, crossing: OpenCrossing): boolean {
  const watch = watches.get(target);
  if (watch === undefined) return false;
  if (watch.crossing !== crossing) watch.crossing.abandon();
  watch.crossing = crossing;
  watch.tape = new StreamTape(crossing);
  watch.wasRead = false;
  return true;
}

function watchOf(crossing: OpenCrossing): Watch {
  return { crossing, tape: new StreamTape(crossing), wasRead: false, isReadElsewhere: false };
}

function tapSteps(watch: Watch, iterator: object, isAsync: boolean): void {
  for (const step of STEPS) {
    const original = Reflect.get(iterator, step) as unknown;
    if (typeof original !== 'function') continue;
    overlay(iterator, step, tapStep(watch, step, original as Method, isAsync));
  }
}

/** Those of the platform give themselves to be read. */
const platformIterators: ReadonlySet<unknown> = new Set([
  Reflect.get(Object.getPrototypeOf([].values()) as object, Symbol.iterator),
  Reflect.get(Object.getPrototypeOf((async function* () {})()) as object, Symbol.asyncIterator),
]);

/** Watches what is read where an iterator gives another one to be read, as the queries of Claude's agents do. */
function tapOtherReader(watch: Watch, iterator: object, isAsync: boolean): void {
  const key = isAsync ? Symbol.asyncIterator : Symbol.iterator;
  const original = Reflect.get(iterator, key) as unknown;
  if (typeof original !== 'function' || platformIterators.has(original)) return;
  overlay(iterator, key, function iterate(this: unknown, ...parameters: unknown[]): unknown {
    const reader: unknown = Reflect.apply(original, this, parameters);
    guarded('watching a stream', () => watchReader(watch, iterator, reader, isAsync), undefined);
    return reader;
  });
}

function watchReader(watch: Watch, iterator: object, reader: unknown, isAsync: boolean): void {
  if (typeof reader !== 'object' || reader === null || reader === iterator) return;
  if (watches.has(reader) || !Object.isExtensible(reader)) return;
  watch.isReadElsewhere = true;
  tapSteps(watch, reader, isAsync);
  watches.set(reader, watch);
  readFor.set(reader, iterator);
}

/**
 * Watches an iterator by own methods laid over its prototype's: the host keeps the very object, and the boundary's code
 * runs in its crossing's context at every step. Nothing is read ahead or held back. False where that is impossible.
 */
export function tapIterator(crossing: OpenCrossing, iterator: object, isAsync: boolean): boolean {
  if (!Object.isExtensible(iterator)) return false;
  markLost(crossing, iterator);
  if (takeOver(iterator, crossing)) return true;
  const watch = watchOf(crossing);
  tapSteps(watch, iterator, isAsync);
  tapOtherReader(watch, iterator, isAsync);
  watches.set(iterator, watch);
  dropped.register(iterator, watch);
  return true;
}

/**
 * Watches the first iteration of an iterable that can be read again and again; later iterations are the host's own
 * affair, and are told of where a replay may not have what they read. False where that is impossible.
 */
export function tapIterable(crossing: OpenCrossing, iterable: object, isAsync: boolean, isPromised = false): boolean {
  if (!Object.isExtensible(iterable)) return false;
  markLost(crossing, iterable);
  if (takeOver(iterable, crossing)) return true;
  const watch = watchOf(crossing);
  const key = isAsync ? Symbol.asyncIterator : Symbol.iterator;
  const original = Reflect.get(iterable, key) as Method;
  const scope = scopeOf(contexts.active());
  const iterate = function iterate(this: unknown, ...parameters: unknown[]): unknown {
    const open = (): unknown => Reflect.apply(original, this, parameters);
    if (watch.wasRead) {
      // What a promise gave is served as an iterator.
      if (isPromised || watch.firstReading?.tape.wasLeft === true) markReadAgain(scope, watch.crossing);
      return open();
    }
    watch.wasRead = true;
    const reader = openTapped(watch.crossing, open, isAsync);
    watch.firstReading = watches.get(reader as object);
    return reader;
  };
  if (!overlay(iterable, key, iterate)) return false;
  watches.set(iterable, watch);
  unread.register(iterable, watch);
  return true;
}

function openTapped(crossing: OpenCrossing, open: () => unknown, isAsync: boolean): unknown {
  let iterator: unknown;
  try {
    iterator = runInContext(crossing.context, open);
  } catch (error) {
    crossing.settle({ type: 'failed', chunks: [], error });
    throw error;
  }
  const isWatched =
    typeof iterator === 'object' &&
    iterator !== null &&
    guarded('watching a stream', () => tapIterator(crossing, iterator, isAsync), false);
  if (!isWatched) crossing.abandon();
  return iterator;
}
