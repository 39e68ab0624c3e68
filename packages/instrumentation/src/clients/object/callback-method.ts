import { type Context, context as contexts } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE } from '@reenact/semconv/core';
import { errorType } from '@reenact/trace-model';
import { wireMode } from '../../admission/current-gate.ts';
import { serveStub } from '../../calls/serve-stub.ts';
import type { OpenCrossing } from '../../gate/gate.ts';
import { guarded } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';
import type { StubAdmission } from '../../results/served-value.ts';
import { coveredWork } from '../../run/covered-work.ts';
import { noteAnnouncements, playAnnouncements } from './announcements.ts';
import { answeredCall, handedOn, keptOf, type MethodCall, servedOn } from './method-call.ts';

type Callback = (this: unknown, ...parameters: unknown[]) => unknown;

/** The function that comes with a live object is the object's own way to be given back, where a stand-in has one. */
function doneWith(given: unknown): () => unknown {
  return () => {
    const release: unknown = typeof given === 'object' && given !== null && Reflect.get(given, 'release');
    return typeof release === 'function' ? Reflect.apply(release, given, []) : undefined;
  };
}

/** A callback's arguments as they are recorded: the second is the result, by Node's convention. */
function keptArguments(call: MethodCall, [error, ...results]: readonly unknown[]): unknown[] {
  // What comes with a live object, such as the function that releases a connection, is as live as the object.
  const kept = call.method.returns === undefined ? results : results.slice(0, 1);
  return [error, ...kept.map((result) => keptOf(call.method, result))];
}

function settle(crossing: OpenCrossing, call: MethodCall, parameters: readonly unknown[]): void {
  const [error] = parameters;
  if (error instanceof Error) crossing.describe({ slim: { [ATTR_ERROR_TYPE]: errorType(error) } });
  crossing.settle({ type: 'returned', value: keptArguments(call, parameters) });
}

/** The caller's context: a pool calls back in whatever context it had when a connection became free. */
function callBack(context: Context, callback: Callback, self: unknown, parameters: readonly unknown[]): unknown {
  return runInContext(context, () => Reflect.apply(callback, self, [...parameters]));
}

function run(crossing: OpenCrossing, call: MethodCall, callback: Callback, context: Context): unknown {
  let hasReturned = false;
  const watched = function watched(this: unknown, ...parameters: unknown[]): unknown {
    crossing.answersAs(hasReturned ? 'promise' : 'sync');
    guarded('settling a callback', () => settle(crossing, call, parameters), undefined);
    const [error, result, ...others] = parameters;
    const given = parameters.length < 2 ? parameters : [error, handedOn(call, result), ...others];
    return callBack(context, callback, this, given);
  };
  try {
    const result = runInContext(crossing.context, () => call.call([...call.parameters, watched]));
    hasReturned = true;
    return call.object.handOn(result);
  } catch (error) {
    crossing.answersAs('sync');
    crossing.settle({ type: 'threw', error });
    throw error;
  }
}

/** Served arguments, a stand-in where a live object was; what was recorded of a promise is an only result. */
function servedArguments(call: MethodCall, served: unknown): unknown[] {
  const [error, ...results] = Array.isArray(served) ? (served as unknown[]) : [null, served];
  if (error !== null && error !== undefined) return [error, ...results];
  if (call.method.returns !== undefined) {
    const given = servedOn(call, results[0], true);
    return [error, given, doneWith(given)];
  }
  return [error, ...results.map((result) => servedOn(call, result, true))];
}

type Settled = PromiseWithResolvers<unknown>;

/** The callback first, as of a driver that gives both: it was there before the host could wait. */
function answerBoth({ resolve, reject }: Settled, parameters: readonly unknown[], tell: () => unknown): void {
  const [error, result] = parameters;
  try {
    tell();
  } finally {
    if (error === null || error === undefined) resolve(result);
    else reject(error);
  }
}

function serve(
  admission: StubAdmission,
  call: MethodCall,
  callback: Callback,
  context: Context,
  settled: Settled,
): void {
  const tell = (parameters: readonly unknown[]): void =>
    answerBoth(settled, parameters, () => callBack(context, callback, undefined, parameters));
  const answer = (served: unknown): void => tell(servedArguments(call, served));
  const served = serveStub(admission);
  playAnnouncements(admission, call);
  call.object.answered(call.key, call.parameters, served, admission.crossing.context);
  if (call.method.closes !== undefined) call.object.closeLive(call.key, call.parameters);
  if (!(served instanceof Promise)) {
    answer(served);
    return;
  }
  // On a tick of its own: what the callback throws is the host's and must not become a rejection of ours.
  served.then(
    (value: unknown) => process.nextTick(answer, value),
    (error: unknown) => process.nextTick(() => tell([error])),
  );
}

/** Its callback hears of it, so nobody needs to wait for the promise of a call that failed. */
function heardPromise(): Settled {
  const settled = Promise.withResolvers<unknown>();
  settled.promise.catch(() => undefined);
  return settled;
}

/** What such a call gives beside its callback. */
function givenBeside(call: MethodCall, { promise }: Settled): unknown {
  if (call.method.callback === 'beside a promise') return promise;
  return guarded(
    'giving what a call gives beside its callback',
    () => call.method.feed?.idle?.(answeredCall(call)),
    undefined,
  );
}

/** As where there is nothing to close: the callback is told of no error. */
function leaveOut({ object, key, parameters, method }: MethodCall, callback: Callback, context: Context): unknown {
  object.answered(key, parameters, undefined);
  object.closeLive(key, parameters);
  process.nextTick(() => callBack(context, callback, undefined, []));
  return method.callback === 'beside a promise' ? Promise.resolve() : undefined;
}

/** Sends one call through the gate whose last argument is a callback; the callback's arguments are its outcome. */
export function crossWithCallback(given: MethodCall): unknown {
  const { object, key, method } = given;
  const callback = given.parameters.at(-1) as Callback;
  const parameters = given.parameters.slice(0, -1);
  const call: MethodCall = { ...given, parameters };
  const admission = object.gate.admit({ method: String(key), parameters, steps: object.steps }, method);
  switch (admission.type) {
    case 'pass':
      return object.handOn(coveredWork(() => call.call(given.parameters)));
    case 'run':
      if (wireMode() === 'replay') object.gate.liveContext = admission.crossing.context;
      noteAnnouncements(admission.crossing, call);
      return run(admission.crossing, call, callback, contexts.active());
    case 'stub': {
      const settled = heardPromise();
      serve(admission, call, callback, contexts.active(), settled);
      return givenBeside(call, settled);
    }
    case 'refuse':
      if (admission.leftOut === true) return leaveOut(call, callback, contexts.active());
      throw admission.error;
  }
}
