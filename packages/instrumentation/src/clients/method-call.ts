import { guarded } from '../host/report-failure.ts';
import { answeredCall } from './answered-call.ts';
import type { ClientMethod } from './client-definition.ts';
import type { ClientObject } from './client-object.ts';

/** One call of a listed method. */
export interface MethodCall {
  readonly object: ClientObject;
  readonly key: PropertyKey;
  readonly method: ClientMethod;
  readonly parameters: readonly unknown[];
  /** Calls the client's own method. */
  call(parameters: readonly unknown[]): unknown;
  readonly original: unknown;
}

/** Stands in a recording where a live object was. */
const LIVE_OBJECT = '<live object>';

/** What is recorded of a result: a mark for a live object, else what the definition keeps of it. */
export function keptOf({ returns, keep }: ClientMethod, value: unknown): unknown {
  if (returns !== undefined) return typeof value === 'object' && value !== null ? LIVE_OBJECT : value;
  return keep === undefined ? value : guarded('keeping a part of a result', () => keep(value), value);
}

/** The host's result: a live object is wrapped in turn. */
export function handedOn({ object, key, method, parameters }: MethodCall, value: unknown): unknown {
  const { returns } = method;
  if (typeof returns !== 'object' || typeof value !== 'object' || value === null) return object.handOn(value);
  return guarded('wrapping a result', () => object.child(returns, key, parameters, value), value);
}

/** What a replay gives where a result was recorded: an object that stands in for a live one or is of the driver's class, else the value itself. */
export function servedOn(call: MethodCall, served: unknown): unknown {
  const { object, key, method, parameters } = call;
  const { returns, revive } = method;
  if (revive !== undefined) return guarded('making a result', () => revive(served, answeredCall(call)), served);
  if (returns === undefined || served !== LIVE_OBJECT) return served;
  if (returns === 'this' || returns === 'alike') return object.proxy;
  return object.child(returns, key, parameters, undefined);
}
