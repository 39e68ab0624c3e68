import type { OpenCrossing } from './gate.ts';
import { observePromise } from './observe-promise.ts';
import { guarded } from './report-failure.ts';
import { runInContext } from './run-in-context.ts';
import { StreamTape } from './stream-tape.ts';

type Step = 'next' | 'return' | 'throw';
type Method = (this: unknown, ...parameters: unknown[]) => unknown;

const STEPS: readonly Step[] = ['next', 'return', 'throw'];

/** Streams that were dropped half-read end here: nobody can see their end any more. */
const dropped = new FinalizationRegistry<OpenCrossing>((crossing) => {
  crossing.abandon();
});

function isResult(value: unknown): value is { readonly done?: unknown; readonly value?: unknown } {
  return typeof value === 'object' && value !== null;
}

function passed(tape: StreamTape, step: Step, result: unknown): void {
  if (!isResult(result)) return;
  if (!result.done) tape.chunk(result.value);
  else if (step === 'return') tape.aborted();
  else tape.ended(result.value);
}

function tapStep(crossing: OpenCrossing, tape: StreamTape, step: Step, original: Method, isAsync: boolean): Method {
  return function tapped(this: unknown, ...parameters: unknown[]) {
    let result: unknown;
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
    return observeStep(tape, step, result);
  };
}

function observeStep(tape: StreamTape, step: Step, result: object): object {
  const observer = {
    fulfilled: (value: unknown) => passed(tape, step, value),
    rejected: (error: unknown) => tape.failed(error),
  };
  const observed = guarded('observing a stream', () => observePromise(result, observer), undefined);
  if (observed !== undefined) return observed;
  guarded('observing a stream', () => passed(tape, step, result), undefined);
  return result;
}

function overlay(target: object, key: PropertyKey, method: Method): boolean {
  return Reflect.defineProperty(target, key, { value: method, configurable: true, writable: true, enumerable: false });
}

/** A replay serves generators and plain objects; a class of the user's own comes back as one of those. */
function markForeignClass(crossing: OpenCrossing, iterator: object): void {
  const tag = Object.prototype.toString.call(iterator).slice('[object '.length, -1);
  if (/Generator$|Iterator$|Iterator Helper$/.test(tag)) return;
  const prototype = Object.getPrototypeOf(iterator) as { readonly constructor?: { readonly name?: string } } | null;
  if (prototype === null || prototype === Object.prototype) return;
  crossing.markLossy(`/output class ${prototype.constructor?.name ?? tag}`);
}

/**
 * Watches an iterator by own methods laid over its prototype's: the host keeps the very object, and the boundary's code
 * runs in its crossing's context at every step. Nothing is read ahead or held back. False where that is impossible.
 */
export function tapIterator(crossing: OpenCrossing, iterator: object, isAsync: boolean): boolean {
  if (!Object.isExtensible(iterator)) return false;
  const tape = new StreamTape(crossing);
  for (const step of STEPS) {
    const original = Reflect.get(iterator, step) as unknown;
    if (typeof original !== 'function') continue;
    overlay(iterator, step, tapStep(crossing, tape, step, original as Method, isAsync));
  }
  markForeignClass(crossing, iterator);
  dropped.register(iterator, crossing);
  return true;
}

/**
 * Watches the first iteration of an iterable that can be read again and again; later iterations are the host's own
 * affair. False where that is impossible.
 */
export function tapIterable(crossing: OpenCrossing, iterable: object, isAsync: boolean): boolean {
  const key = isAsync ? Symbol.asyncIterator : Symbol.iterator;
  const original = Reflect.get(iterable, key) as Method;
  let isFirst = true;
  if (!Object.isExtensible(iterable)) return false;
  markForeignClass(crossing, iterable);
  const token = {};
  dropped.register(iterable, crossing, token);
  return overlay(iterable, key, function iterate(this: unknown, ...parameters) {
    if (!isFirst) return Reflect.apply(original, this, parameters);
    isFirst = false;
    dropped.unregister(token);
    return tapped(crossing, () => Reflect.apply(original, this, parameters), isAsync);
  });
}

function tapped(crossing: OpenCrossing, open: () => unknown, isAsync: boolean): unknown {
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
