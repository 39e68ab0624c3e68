import { AsyncLocalStorage } from 'node:async_hooks';
import { httpMembers, type StubAdmission } from '@reenact/instrumentation';
import { type Crossing, processState } from '@reenact/trace-model';
import type { SentBody } from '../message-body.ts';

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

/** What the gate said of a `fetch`, for the dispatcher below to answer with. */
interface HandedDown {
  readonly admission: StubAdmission;
  readonly sent: SentBody;
}

const handedDown = processState(
  'handed-down-fetch.1',
  () => new AsyncLocalStorage<{ answer: HandedDown | undefined }>(),
);

/** Whether a `fetch` was recorded at its dispatcher, below the patched one: its client had taken it before. Only a `fetch` sends this header. */
export function isRecordedBelow({ exchanges: [exchange] }: Crossing): boolean {
  return exchange?.layer === 'http' && exchange.request.headers.some(([name]) => /^sec-fetch-mode$/i.test(name));
}

/** Whether the dispatcher that a call names asks the gate; one that does not would send the request, whatever was handed down. */
export function asksBelow([, init]: Parameters<typeof fetch>): boolean {
  const dispatcher: unknown = Reflect.get(init ?? {}, 'dispatcher');
  if (typeof dispatcher !== 'object' || dispatcher === null) return dispatcher === undefined;
  return httpMembers.isPatched(Reflect.get(dispatcher, 'dispatch'));
}

/** Calls a `fetch` whose first request its dispatcher answers so. What it is redirected to is asked for as what passed no gate. */
export function answeredBelow<Result>(answer: HandedDown, call: () => Result): Result {
  return handedDown.run({ answer }, call);
}

/** What was handed down to the dispatcher that is asked now; given once. */
export function takeHandedDown(): HandedDown | undefined {
  const held = handedDown.getStore();
  const answer = held?.answer;
  if (held !== undefined) held.answer = undefined;
  return answer;
}
