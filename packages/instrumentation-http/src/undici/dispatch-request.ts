import { stringify } from 'node:querystring';
import type { Dispatcher } from 'undici';
import { type FetchBody, fetchBodyOf, formBody } from '../fetch/fetch-body.ts';
import { headersOf, isIterable } from '../headers-of.ts';
import type { OutboundFacts } from '../outbound/outbound-call.ts';

/** One request as it was given to a dispatcher, read without taking anything from it. */
export interface DispatchRequest extends OutboundFacts {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: FetchBody;
  /** Whether the connection is asked to become a WebSocket. */
  readonly isUpgrade: boolean;
}

/** What a connection is asked to become; undefined where it stays one of HTTP. */
function protocolAsked({ method, upgrade }: Dispatcher.DispatchOptions): string | undefined {
  if (method === 'CONNECT') return method;
  return upgrade === undefined || upgrade === null || upgrade === false ? undefined : String(upgrade);
}

/** Whether a dispatcher is asked for a WebSocket. */
function asksForWebSocket(options: Dispatcher.DispatchOptions): boolean {
  return protocolAsked(options)?.toLowerCase() === 'websocket';
}

/** Clients and pools keep where they lead to under a symbol that the package does not export. */
function originOf(dispatcher: object): string | undefined {
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === 'url');
  const url: unknown = key === undefined ? undefined : Reflect.get(dispatcher, key);
  return url instanceof URL ? url.origin : undefined;
}

function urlOf(dispatcher: object, { origin, path, query }: Dispatcher.DispatchOptions): URL | undefined {
  const base = origin === undefined ? originOf(dispatcher) : String(origin);
  // Sent through a proxy: the whole address is in the path.
  const whole = /^https?:\/\//i.test(path) ? path : base === undefined ? undefined : `${new URL(base).origin}${path}`;
  if (whole === undefined) return undefined;
  const asked = query === undefined || query === null ? '' : stringify(query);
  const url = new URL(asked === '' ? whole : `${whole}?${asked}`);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}

function isForm(body: object): body is FormData {
  return Reflect.get(body, Symbol.toStringTag) === 'FormData' && 'entries' in body;
}

async function* asAsync(parts: Iterable<unknown>): AsyncGenerator<unknown> {
  yield* parts;
}

/** Text and bytes get no content type of their own here, unlike in `fetch`. */
function bodyOf(body: unknown): FetchBody {
  if (typeof body === 'object' && body !== null) {
    if (isForm(body)) return formBody(body);
    if (body instanceof Blob) return fetchBodyOf(body, undefined);
    const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
    if (!isBytes && !(Symbol.asyncIterator in body) && isIterable(body)) {
      return { type: 'streamed', stream: asAsync(body) };
    }
  }
  return { ...fetchBodyOf(body, undefined), contentType: undefined };
}

/**
 * Reads what a dispatcher is asked for. Undefined where undici refuses the options or only it can read them, and where the
 * connection is asked to become something else than HTTP or a WebSocket.
 */
export function readDispatch(dispatcher: object, options: Dispatcher.DispatchOptions): DispatchRequest | undefined {
  const { method } = options;
  const isUpgrade = asksForWebSocket(options);
  if (!isUpgrade && protocolAsked(options) !== undefined) return undefined;
  try {
    const url = urlOf(dispatcher, options);
    const headers = headersOf(options.headers);
    if (url === undefined || headers === undefined || typeof method !== 'string') return undefined;
    const body = bodyOf(options.body);
    const given = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1];
    return { method, url, headers, body, contentType: given ?? body.contentType, isUpgrade };
  } catch {
    return undefined;
  }
}
