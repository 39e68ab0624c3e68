import { context as contexts } from '@opentelemetry/api';
import type { Crossing } from '@reenact/trace-model';
import { FetchExchangeRecorder } from '../exchange/fetch-exchange-record.ts';
import { serveFetchExchange } from '../exchange/fetch-exchange-serve.ts';
import { servableExchange, startedAfterUs } from '../exchange/servable-exchange.ts';
import { settleWithExchange } from '../exchange/settle-with-exchange.ts';
import type { OpenCrossing } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import type { StubAdmission } from '../results/served-value.ts';
import { scopeOf } from '../run/crossing-scope.ts';

/**
 * Whether a call gave the answer of a `fetch`, or one made like it, that nobody has begun to read. Looked at by what it is called first: the
 * platform loads its `fetch` when its classes are asked for.
 */
function isUnreadResponse(value: unknown): value is Response {
  if (typeof value !== 'object' || value === null || value.constructor?.name !== 'Response') return false;
  return (
    Object.getPrototypeOf(value) === Response.prototype && !(value as Response).bodyUsed && !isLocked(value as Response)
  );
}

function isLocked({ body }: Response): boolean {
  return body?.locked === true;
}

/** A root runs again in each replay, and nobody may read what it gives there; one that failed before it was one cannot be made again. */
function isKept({ boundary }: OpenCrossing, { type }: Response): boolean {
  return (
    boundary.kind !== 'agent' &&
    boundary.capture === 'full' &&
    type !== 'error' &&
    scopeOf(contexts.active()) !== undefined
  );
}

/** Responses in whose place another was handed on. */
const replaced = new WeakSet<object>();

const readingMethods = ['arrayBuffer', 'blob', 'bytes', 'clone', 'formData', 'json', 'text'] as const;

/** Whoever keeps the response that was given, as a cache does, reads the body that was handed on: to them the two are one. */
function readAs(given: Response, handed: Response): void {
  replaced.add(given);
  const read = (get: () => unknown): PropertyDescriptor => ({ get, configurable: true });
  Object.defineProperties(given, { body: read(() => handed.body), bodyUsed: read(() => handed.bodyUsed) });
  for (const key of readingMethods) {
    const value = (): unknown => Reflect.apply(handed[key], handed, []);
    Object.defineProperty(given, key, { value, configurable: true, writable: true });
  }
}

/**
 * Watches a response that a call gave, whose body the host may read later: the crossing ends with it, as that of a request does. Gives what
 * to hand on in its place; undefined of anything else, of one that was given before, and of what an agent or a root gives, whose code runs again in
 * a replay. To be called in the context of whoever called.
 */
export function watchedResponse(crossing: OpenCrossing, value: unknown): Response | undefined {
  if (!isUnreadResponse(value) || !isKept(crossing, value) || replaced.has(value)) return undefined;
  crossing.answersAs('exchange');
  const recorder = new FetchExchangeRecorder(
    // Which request it answers only the code inside knows. What is served says that it was redirected where its address is another.
    {
      attempt: 0,
      method: 'GET',
      url: value.redirected ? '' : value.url,
      headers: [],
      body: undefined,
      inputText: undefined,
      signal: undefined,
    },
    (exchange, error) => settleWithExchange(crossing, exchange, { error, wasAborted: false }),
  );
  crossing.exchanging(() => recorder.underWay, undefined, recorder.onceReadOn);
  const handed = recorder.responded(value);
  if (handed !== value) guarded('keeping a response readable', () => readAs(value, handed), undefined);
  return handed;
}

/** Whether a call that gave a promise was recorded to end with a response. */
export function gaveResponse({ call, exchanges, kind }: Crossing): boolean {
  return call === 'exchange' && kind !== 'agent' && exchanges[0]?.response !== undefined;
}

/** Serves the response that a call was recorded to give: its status, its headers and its body, each when its time has come. */
export async function servedResponse(admission: StubAdmission): Promise<Response> {
  const { crossing, recorded, release } = admission;
  const { outcome } = recorded;
  const exchange = servableExchange(admission, 'fetch');
  const response = await serveFetchExchange(exchange, {
    release,
    startedAfterUs: startedAfterUs(recorded, exchange),
    isLast: true,
    wasAborted: false,
    signal: undefined,
    beyond: outcome.type === 'pending' ? undefined : (detail) => admission.exhausted(detail),
  });
  // Only one that came from somewhere says so.
  if (response.url === '') Object.defineProperty(response, 'type', { value: 'default', configurable: true });
  const watched = crossing.isObserved ? watchedResponse(crossing, response) : undefined;
  if (watched !== undefined) return watched;
  crossing.settle({ type: 'returned', value: undefined });
  return response;
}
