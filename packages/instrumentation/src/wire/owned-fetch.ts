import { type Context, context as contexts, createContextKey } from '@opentelemetry/api';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { disguised } from '../patching/patch-set.ts';
import { placeBelow, withPlaceBelow } from '../patching/place-below.ts';
import { replaceProperty } from '../patching/replace-property.ts';
import { withOwnedWire } from './owned-wire.ts';

const OWNER_KEY = createContextKey('reenact.fetch-owner.1');
const PATCHED = Symbol.for('reenact.owned-fetch.patched.1');

/** One call of the global `fetch`, as the crossing that owns it sees it. */
export interface OwnedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  /** As `fetch` was given it; undefined where it is inside a `Request`. */
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
}

/** A crossing whose library sends its requests by the global `fetch`: it keeps the exchanges, and serves them in a replay. */
export interface FetchOwner {
  /** Runs one attempt: `send` puts it on the wire. */
  fetch(request: OwnedRequest, send: () => Promise<Response>): Promise<Response>;
}

type Fetch = typeof fetch;
type FetchParameters = Parameters<Fetch>;

/**
 * A context in which requests of the global `fetch` belong to `owner` and are no crossings of their own. It ends where a
 * crossing opens inside, whose requests are its own.
 */
export function withFetchOwner(context: Context, owner: FetchOwner): Context {
  return context.setValue(OWNER_KEY, owner);
}

/** The owner of requests that are made in this context, or undefined. */
function fetchOwnerOf(context: Context): FetchOwner | undefined {
  return context.getValue(OWNER_KEY) as FetchOwner | undefined;
}

/** The same context, without an owner of its requests. */
export function withoutFetchOwner(context: Context): Context {
  return fetchOwnerOf(context) === undefined ? context : context.deleteValue(OWNER_KEY);
}

function readRequest([input, init]: FetchParameters): OwnedRequest {
  const request = typeof input === 'object' && 'url' in input ? input : undefined;
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url: request?.url ?? String(input),
    headers: new Headers(init?.headers ?? request?.headers),
    body: init?.body,
    signal: init?.signal ?? request?.signal ?? undefined,
  };
}

/**
 * Gives a call of `fetch` to the crossing that owns the requests made here. Undefined where none does; the caller then goes
 * on as it would have. Rejects and resolves as the owner does.
 */
export function fetchOfOwner(
  parameters: FetchParameters,
  proceed: (parameters: FetchParameters) => Promise<Response>,
): Promise<Response> | undefined {
  const active = guarded('finding the owner of a fetch', () => contexts.active(), undefined);
  const owner = active === undefined ? undefined : fetchOwnerOf(active);
  if (active === undefined || owner === undefined) return undefined;
  const request = guarded('reading an owned fetch', () => readRequest(parameters), undefined);
  // What cannot be read, `fetch` itself refuses in a moment, in the words the library expects.
  if (request === undefined) return undefined;
  const sending = withOwnedWire(withoutFetchOwner(active));
  return owner.fetch(request, () => runInContext(sending, () => proceed(parameters)));
}

/**
 * Puts the owners of requests into the global `fetch`; without one in the context it behaves as it did. Doing it twice changes
 * nothing. Returns how to undo it.
 */
export function installOwnedFetch(): () => void {
  const original = globalThis.fetch;
  if (typeof original !== 'function' || PATCHED in original) return () => undefined;
  const below = { fetch: original };
  function fetch(this: unknown, ...parameters: FetchParameters): Promise<Response> {
    const proceed = (given: FetchParameters): Promise<Response> => Reflect.apply(below.fetch, this, given);
    return fetchOfOwner(parameters, proceed) ?? proceed(parameters);
  }
  // Where another gate lies below, a guard belongs below that one, too.
  const place = placeBelow(original);
  const owned = disguised(fetch, original);
  Object.defineProperty(owned, PATCHED, { value: true });
  if (place === undefined) withPlaceBelow(owned, { owner: below, key: 'fetch' });
  return replaceProperty(globalThis, 'fetch', { value: owned, writable: true, configurable: true, enumerable: true });
}
