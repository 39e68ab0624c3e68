import { recordConnection } from '../../connections/unseen/record-connection.ts';
import { guarded } from '../../host/report-failure.ts';

function isOfTheLanguage(value: object): boolean {
  const made: unknown = value.constructor;
  if (made === undefined) return true;
  return typeof made === 'function' && Reflect.get(globalThis, made.name) === made;
}

/** Whether a result may be at work on the connection: a promise, rows that are still to come, an object of the driver. */
function mayReachOn(result: unknown): boolean {
  if (typeof result !== 'object' || result === null) return false;
  if (typeof Reflect.get(result, 'then') === 'function' || Symbol.asyncIterator in result) return true;
  return !isOfTheLanguage(result);
}

/**
 * Keeps for the agent around it that a method was called which the definition of a driver leaves out, where its result tells that it may
 * have asked the server: nothing records that, and a replay refuses it. Never throws.
 */
export function recordUncoveredCall(client: string, method: PropertyKey, result: unknown): void {
  if (typeof method !== 'string' || !guarded('looking at a result', () => mayReachOn(result), false)) return;
  recordConnection(() => ({ place: `call ${client}.${method}`, package: undefined }));
}
