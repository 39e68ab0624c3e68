import { guarded } from '../../host/report-failure.ts';
import type { AnsweredCall } from './answered-call.ts';
import type { CalledObject } from './called-object.ts';
import type { ClientMethod } from './client-definition.ts';

/** One call of a listed method. */
export interface MethodCall {
  readonly object: CalledObject;
  readonly key: PropertyKey;
  readonly method: ClientMethod;
  readonly parameters: readonly unknown[];
  /** Calls the client's own method. */
  call(parameters: readonly unknown[]): unknown;
  readonly original: unknown;
}

/** A call as those see it who make objects of the driver for its answer. */
export function answeredCall({ object, key, parameters }: MethodCall): AnsweredCall {
  return {
    method: String(key),
    parameters,
    steps: object.steps,
    memberOf: (member) => object.memberOf(member),
    holder: object.gate.holder,
  };
}

/** Stands in a recording where a live object was; the key of its fields where it has some. */
const LIVE_OBJECT = '<live object>';

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: object, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => name in value).map((name) => [name, Reflect.get(value, name)]));
}

function keptLiveObject(value: object, returns: ClientMethod['returns']): unknown {
  const names = typeof returns === 'object' ? returns.fields : undefined;
  if (names === undefined) return LIVE_OBJECT;
  const fields = guarded('reading fields of an object', () => fieldsOf(value, names), undefined);
  return fields === undefined ? LIVE_OBJECT : { [LIVE_OBJECT]: fields };
}

/** The fields of a live object where that is what was recorded; undefined where it was another value. */
function servedFields(served: unknown): Fields | undefined {
  if (served === LIVE_OBJECT) return {};
  if (typeof served !== 'object' || served === null) return undefined;
  const keys = Object.keys(served);
  return keys.length === 1 && keys[0] === LIVE_OBJECT ? (Reflect.get(served, LIVE_OBJECT) as Fields) : undefined;
}

/** What is recorded of a result: a mark for a live object, else what the definition keeps of it. */
export function keptOf({ returns, keep }: ClientMethod, value: unknown): unknown {
  if (returns !== undefined)
    return typeof value === 'object' && value !== null ? keptLiveObject(value, returns) : value;
  return keep === undefined ? value : guarded('keeping a part of a result', () => keep(value), value);
}

/** The host's result: a live object is wrapped in turn. */
export function handedOn({ object, key, method, parameters }: MethodCall, value: unknown): unknown {
  const { returns } = method;
  if (typeof returns !== 'object' || typeof value !== 'object' || value === null) return object.handOn(value);
  return guarded('wrapping a result', () => object.child(returns, key, parameters, value), value);
}

/**
 * What a replay gives where a result was recorded: an object that stands in for a live one or is of the driver's class, else the value itself.
 * `isAwaited`: it comes by a promise or a callback.
 */
export function servedOn(call: MethodCall, served: unknown, isAwaited: boolean): unknown {
  const { object, key, method, parameters } = call;
  const { returns, revive } = method;
  if (revive !== undefined) return guarded('making a result', () => revive(served, answeredCall(call)), served);
  const fields = returns === undefined ? undefined : servedFields(served);
  if (returns === undefined || fields === undefined) return served;
  if (returns === 'this' || returns === 'alike') return object.proxy;
  return object.child(returns, key, parameters, undefined, { fields, isAwaited });
}
