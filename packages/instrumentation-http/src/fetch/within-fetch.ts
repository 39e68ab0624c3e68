import { AsyncLocalStorage } from 'node:async_hooks';
import { processState } from '@reenact/trace-model';

/** Of its own: what passed the patched `fetch` is known by it also where OpenTelemetry's contexts reach nothing. */
const fetching = processState('within-fetch.1', () => new AsyncLocalStorage<true>());

/** Calls a `fetch` for which the gate was asked already, or needs not to be. */
export function withinFetch<Result>(call: () => Result): Result {
  return fetching.run(true, call);
}

/** Whether what is sent now is sent by such a `fetch`, redirects of it included. */
export function isWithinFetch(): boolean {
  return fetching.getStore() === true;
}
