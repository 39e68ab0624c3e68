import { context as contexts } from '@opentelemetry/api';
import type { CallShape } from '@reenact/trace-model';
import type { OpenCrossing } from '../gate/gate.ts';
import { reportFailure } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { MicrotaskCount } from '../results/microtask-count.ts';
import { observePromise, type PromiseObserver } from '../results/observe-promise.ts';
import { markGivenAnew, markLostOfPromise } from '../results/result-losses.ts';
import { resultShape } from '../results/result-shape.ts';
import { tapIterable, tapIterator } from '../results/tap-iterator.ts';
import { type CrossingScope, scopeOf } from '../run/crossing-scope.ts';
import { watchedResponse } from './given-response.ts';

function settleReturned(crossing: OpenCrossing, value: unknown): void {
  crossing.settle({ type: 'returned', value });
}

function tapStream(
  crossing: OpenCrossing,
  stream: unknown,
  call: CallShape | undefined,
  tap: (stream: object) => boolean,
): void {
  if (call !== undefined) crossing.answersAs(call);
  if (!tap(stream as object)) settleReturned(crossing, stream);
}

/** What a promise resolved to: a stream goes on, everything else is the outcome. */
function tapResolved(crossing: OpenCrossing, value: unknown): void {
  const shape = resultShape(value);
  if (shape === 'async-iterator') {
    tapStream(crossing, value, undefined, (stream) => tapIterator(crossing, stream, true));
  } else if (shape === 'async-iterable') {
    tapStream(crossing, value, undefined, (stream) => tapIterable(crossing, stream, true));
  } else {
    settleReturned(crossing, value);
  }
}

/** Tells a crossing how the promise that it gave ends. */
class PromisedOutcome implements PromiseObserver {
  private readonly crossing: OpenCrossing;
  private readonly around: CrossingScope | undefined;
  private readonly count: MicrotaskCount | undefined;

  constructor(crossing: OpenCrossing, around: CrossingScope | undefined, count: MicrotaskCount | undefined) {
    this.crossing = crossing;
    this.around = around;
    this.count = count;
  }

  fulfilled(value: unknown): void {
    const microtasks = this.count?.stop();
    // A stream goes on.
    if (resultShape(value) === 'value') this.crossing.settlesAfter(microtasks);
    tapResolved(this.crossing, value);
  }

  instead(value: unknown): object | undefined {
    return watchedResponse(this.crossing, value);
  }

  rejected(error: unknown): void {
    this.crossing.settlesAfter(this.count?.stop());
    this.crossing.settle({ type: 'threw', error });
  }

  dropped(): void {
    this.crossing.abandon();
  }

  gaveAnew(): void {
    markGivenAnew(this.around, this.crossing);
  }
}

function tapPromise(crossing: OpenCrossing, promise: object, isThenable: boolean): unknown {
  crossing.answersAs('promise');
  markLostOfPromise(crossing, promise);
  const scope = isThenable ? scopeOf(contexts.active()) : undefined;
  // A lazy one begins when it is waited for.
  const count = isThenable ? undefined : new MicrotaskCount();
  const observed = observePromise(promise, new PromisedOutcome(crossing, scope, count));
  count?.begin();
  if (observed === undefined) settleReturned(crossing, promise);
  return observed ?? promise;
}

function tapResult(crossing: OpenCrossing, result: unknown): unknown {
  const shape = resultShape(result);
  switch (shape) {
    case 'native-promise':
    case 'thenable':
      return tapPromise(crossing, result as object, shape === 'thenable');
    case 'iterator':
    case 'async-iterator':
      tapStream(crossing, result, shape, (stream) => tapIterator(crossing, stream, shape !== 'iterator'));
      return result;
    case 'iterable':
    case 'async-iterable':
      tapStream(crossing, result, shape, (stream) => tapIterable(crossing, stream, shape !== 'iterable'));
      return result;
    case 'value':
    case 'stream-handle':
      crossing.answersAs('sync');
      settleReturned(crossing, result);
      return result;
  }
}

/**
 * Calls a boundary's code inside its crossing and watches how it ends. Returns and throws what `call` does, in the same
 * shape and at the same time; whatever fails on our side is reported and the host's result handed on.
 */
export function runTapped(crossing: OpenCrossing, call: () => unknown): unknown {
  let result: unknown;
  try {
    result = runInContext(crossing.context, call);
  } catch (error) {
    crossing.answersAs('sync');
    crossing.settle({ type: 'threw', error });
    throw error;
  }
  try {
    return tapResult(crossing, result);
  } catch (thrown) {
    // A result that resists being looked at is still the result, and its crossing still ends.
    reportFailure('watching a result', thrown);
    settleReturned(crossing, result);
    return result;
  }
}
