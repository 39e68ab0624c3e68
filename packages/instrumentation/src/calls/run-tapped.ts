import { context as contexts } from '@opentelemetry/api';
import type { CallShape } from '@reenact/trace-model';
import type { OpenCrossing } from '../gate/gate.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { CallParameters } from '../results/given-argument.ts';
import { givenStreamView } from '../results/given-stream.ts';
import { MicrotaskCount } from '../results/microtask-count.ts';
import { observePromise, type PromiseObserver } from '../results/observe-promise.ts';
import { markGivenAnew, markLostOfPromise } from '../results/result-losses.ts';
import { resultShape } from '../results/result-shape.ts';
import { tapIterable, tapIterator } from '../results/tap-iterator.ts';
import { type CrossingScope, scopeOf } from '../run/crossing-scope.ts';
import { watchedResponse } from './given-response.ts';

const NO_PARAMETERS = new CallParameters([]);

function settleReturned(crossing: OpenCrossing, value: unknown, argument?: number): void {
  crossing.settle({ type: 'returned', value, argument });
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

/** A promise gave a stream, which goes on. */
function tapPromisedStream(
  crossing: OpenCrossing,
  stream: unknown,
  shape: 'async-iterator' | 'async-iterable',
  microtasks: number | undefined,
): void {
  crossing.describe(givenStreamView({ offsetUs: crossing.elapsedUs(), microtasks }));
  tapStream(crossing, stream, undefined, (one) =>
    shape === 'async-iterator' ? tapIterator(crossing, one, true) : tapIterable(crossing, one, true, true),
  );
}

interface PromisedCall {
  readonly parameters: CallParameters;
  /** What of them the call had written into when it gave its promise: nobody else's code has run until then. */
  readonly written: readonly number[];
  readonly scope?: CrossingScope | undefined;
  readonly count?: MicrotaskCount;
}

function writtenInto(parameters: CallParameters): number[] {
  return guarded('looking at parameters again', () => parameters.changed(), []);
}

/**
 * Says what a call wrote into what it was given, which a replay does not do. `isByCall`: nobody else's code could. `given`: the parameter that
 * is its result, which comes back with what was written into it.
 */
function markWritten(crossing: OpenCrossing, positions: readonly number[], isByCall: boolean, given?: number): void {
  const how = isByCall ? 'changed by the call' : 'changed meanwhile';
  for (const position of positions) if (position !== given) crossing.markLossy(`/input/${position} ${how}`);
}

/** Tells a crossing how the promise that it gave ends. */
class PromisedOutcome implements PromiseObserver {
  private readonly crossing: OpenCrossing;
  private readonly scope: CrossingScope | undefined;
  private readonly count: MicrotaskCount | undefined;
  private readonly parameters: CallParameters;
  private readonly written: readonly number[];

  constructor(crossing: OpenCrossing, { scope, count, parameters, written }: PromisedCall) {
    this.crossing = crossing;
    this.written = written;
    this.scope = scope;
    this.count = count;
    this.parameters = parameters;
  }

  fulfilled(value: unknown): void {
    const microtasks = this.count?.stop();
    const shape = resultShape(value);
    if (shape === 'async-iterator' || shape === 'async-iterable') {
      tapPromisedStream(this.crossing, value, shape, microtasks);
      return;
    }
    if (shape === 'value') this.crossing.settlesAfter(microtasks);
    const given = this.count === undefined ? undefined : this.parameters.positionOf(value);
    this.markWritten(given);
    settleReturned(this.crossing, value, given);
  }

  instead(value: unknown): object | undefined {
    return watchedResponse(this.crossing, value);
  }

  /** What it asks for then belongs to the call that gave it. */
  around<Result>(begin: () => Result): Result {
    return runInContext(this.crossing.context, begin);
  }

  rejected(error: unknown): void {
    this.crossing.settlesAfter(this.count?.stop());
    this.markWritten();
    this.crossing.settle({ type: 'threw', error });
  }

  private markWritten(given?: number): void {
    const isMarked = new Set(this.written);
    const later = writtenInto(this.parameters).filter((position) => !isMarked.has(position));
    markWritten(this.crossing, this.written, true, given);
    markWritten(this.crossing, later, false, given);
  }

  dropped(): void {
    this.crossing.abandon();
  }

  gaveAnew(): void {
    markGivenAnew(this.scope, this.crossing);
  }
}

function tapPromise(crossing: OpenCrossing, promise: object, isThenable: boolean, parameters: CallParameters): unknown {
  crossing.answersAs('promise');
  markLostOfPromise(crossing, promise);
  const written = writtenInto(parameters);
  // A lazy one begins when it is waited for.
  const call: PromisedCall = isThenable
    ? { parameters, written, scope: scopeOf(contexts.active()) }
    : { parameters, written, count: new MicrotaskCount(crossing) };
  const observed = observePromise(promise, new PromisedOutcome(crossing, call));
  call.count?.begin();
  if (observed === undefined) settleReturned(crossing, promise);
  return observed ?? promise;
}

function tapResult(crossing: OpenCrossing, result: unknown, parameters: CallParameters): unknown {
  const shape = resultShape(result);
  switch (shape) {
    case 'native-promise':
    case 'thenable':
      return tapPromise(crossing, result as object, shape === 'thenable', parameters);
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
      markWritten(crossing, writtenInto(parameters), true, parameters.positionOf(result));
      settleReturned(crossing, result, parameters.positionOf(result));
      return result;
  }
}

/**
 * Calls a boundary's code inside its crossing and watches how it ends. Returns and throws what `call` does, in the same
 * shape and at the same time; whatever fails on our side is reported and the host's result handed on. `parameters`: those of
 * the call, where a replay can find them by their positions.
 */
export function runTapped(crossing: OpenCrossing, call: () => unknown, parameters = NO_PARAMETERS): unknown {
  let result: unknown;
  try {
    result = runInContext(crossing.context, call);
  } catch (error) {
    crossing.answersAs('sync');
    markWritten(crossing, writtenInto(parameters), true);
    crossing.settle({ type: 'threw', error });
    throw error;
  }
  try {
    return tapResult(crossing, result, parameters);
  } catch (thrown) {
    // A result that resists being looked at is still the result, and its crossing still ends.
    reportFailure('watching a result', thrown);
    settleReturned(crossing, result);
    return result;
  }
}
