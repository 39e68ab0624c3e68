import { types } from 'node:util';
import { wireMode } from '../../admission/current-gate.ts';
import { runTapped } from '../../calls/run-tapped.ts';
import { serveStub } from '../../calls/serve-stub.ts';
import type { OpenCrossing } from '../../gate/gate.ts';
import { guarded } from '../../host/report-failure.ts';
import { runInContext } from '../../host/run-in-context.ts';
import { MicrotaskCount } from '../../results/microtask-count.ts';
import type { StubAdmission } from '../../results/served-value.ts';
import { coveredWork } from '../../run/covered-work.ts';
import { noteAnnouncements, playAnnouncements } from './announcements.ts';
import { crossWithCallback } from './callback-method.ts';
import type { AroundCall } from './client-definition.ts';
import { isServedFed, serveFed, watchFed } from './cross-fed.ts';
import { answeredCall, handedOn, keptOf, type MethodCall, servedOn } from './method-call.ts';

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}

/** As `runTapped`, for results of which not the whole is recorded. */
function runKept(crossing: OpenCrossing, call: MethodCall): unknown {
  const { object } = call;
  const settle = (value: unknown): unknown => {
    crossing.settle({ type: 'returned', value: keptOf(call.method, value) });
    return handedOn(call, value);
  };
  let result: unknown;
  try {
    result = runInContext(crossing.context, () => call.call(call.parameters));
  } catch (error) {
    crossing.answersAs('sync');
    crossing.settle({ type: 'threw', error });
    throw error;
  }
  if (watchFed(crossing, call, result)) return object.handOn(result);
  if (!isThenable(result)) {
    crossing.answersAs('sync');
    return settle(result);
  }
  crossing.answersAs('promise');
  const count = new MicrotaskCount(crossing);
  const given = result.then(
    (value) => {
      crossing.settlesAfter(count.stop());
      return settle(value);
    },
    (error: unknown) => {
      crossing.settlesAfter(count.stop());
      crossing.settle({ type: 'threw', error });
      throw error;
    },
  );
  count.begin();
  return given;
}

function run(crossing: OpenCrossing, call: MethodCall): unknown {
  const { object, method } = call;
  if (method.returns !== undefined || method.keep !== undefined || method.feed !== undefined)
    return runKept(crossing, call);
  return object.handOn(runTapped(crossing, () => call.call(call.parameters)));
}

function serve(admission: StubAdmission, call: MethodCall): unknown {
  const { feed, prepare } = call.method;
  if (prepare !== undefined) {
    const prepared = (): void => runInContext(admission.crossing.context, () => prepare(answeredCall(call)));
    guarded('doing to arguments what the client does', prepared, undefined);
  }
  if (feed !== undefined && isServedFed(admission, feed, call)) return serveFed(admission, feed, call);
  // As it is given: one more promise would hand it on a round of reactions later than the client did.
  const isAwaited = admission.recorded.call !== 'sync';
  const served = serveStub(admission, (value) => servedOn(call, value, isAwaited));
  playAnnouncements(admission, call);
  call.object.answered(call.key, call.parameters, served, admission.crossing.context);
  if (call.method.closes !== undefined) call.object.closeLive(call.key, call.parameters);
  return served;
}

/** A replay has nothing open that the call could close, but for what calls that ran live have opened. */
function leaveOut({ object, key, method, parameters }: MethodCall): unknown {
  object.answered(key, parameters, undefined);
  object.closeLive(key, parameters);
  if (method.closes !== 'at once') return Promise.resolve(undefined);
  return method.returns === 'this' ? object.proxy : undefined;
}

/** What comes by a feed comes to the object's own callbacks. */
function isCalledBack({ method, parameters }: MethodCall): boolean {
  if (method.callback === undefined || typeof parameters.at(-1) !== 'function') return false;
  return method.feed?.isAskedBy?.(parameters) !== true;
}

function inputOf({ method: { feed }, parameters }: MethodCall): readonly unknown[] {
  return guarded('reading arguments', () => feed?.input?.(parameters), undefined) ?? parameters;
}

function aroundCall({ object, key: ofMethod, parameters }: MethodCall): AroundCall {
  return {
    parameters,
    isReplayed: () => wireMode() === 'replay',
    give: (shape, real) => object.child(shape, ofMethod, parameters, real),
    call: (key, given) => coveredWork(() => object.call(key, given)),
    cross: (key, method, run) => crossMethod({ object, key, method, parameters: [], call: run, original: undefined }),
  };
}

/** Sends one call of a listed method through the gate. Returns and throws what the client does, in the same call shape. */
export function crossMethod(call: MethodCall): unknown {
  const { object, key, method, parameters } = call;
  method.asked?.(object.proxy);
  if (method.around !== undefined) return method.around(aroundCall(call));
  if (method.as === 'composed') return object.compose(key, method, parameters);
  if (method.as !== undefined && method.as !== 'crossing') {
    const own = (): unknown => call.call(parameters);
    return object.step(key, method, parameters, method.as === 'aside' ? () => coveredWork(own) : own);
  }
  if (isCalledBack(call)) return crossWithCallback(call);
  const admission = object.gate.admit({ method: String(key), parameters: inputOf(call), steps: object.steps }, method);
  switch (admission.type) {
    case 'pass':
      return passed(call);
    case 'run':
      if (wireMode() === 'replay') object.gate.liveContext = admission.crossing.context;
      noteAnnouncements(admission.crossing, call);
      return run(admission.crossing, call);
    case 'stub':
      return serve(admission, call);
    case 'refuse':
      if (admission.leftOut === true) return leaveOut(call);
      if (types.isAsyncFunction(call.original)) return Promise.reject(admission.error);
      throw admission.error;
  }
}

/** Nobody is watching this call; what it gives may still be used when somebody is. */
function passed(call: MethodCall): unknown {
  const result = coveredWork(() => call.call(call.parameters));
  if (typeof call.method.returns !== 'object') return call.object.handOn(result);
  return isThenable(result) ? result.then((value) => handedOn(call, value)) : handedOn(call, result);
}
