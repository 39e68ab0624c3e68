import type { ClientHttp2Session, ClientSessionOptions, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2';
import type { OutboundFacts } from '../outbound/outbound-call.ts';

/** Where a session leads, and how it was made. */
export interface SessionOrigin {
  readonly authority: URL;
  readonly options: ClientSessionOptions;
}

/** `http2.connect` in its widest form. */
export type Connect = (
  authority: string | URL,
  options?: ClientSessionOptions,
  listener?: (...given: never[]) => void,
) => ClientHttp2Session;

/** The parameters of `http2.connect`, told apart; undefined for what it refuses, and for connections of the caller's own. */
export function originOf(parameters: readonly unknown[]): SessionOrigin | undefined {
  const [authority, second] = parameters;
  const options = (typeof second === 'object' && second !== null ? second : {}) as ClientSessionOptions;
  if (typeof options.createConnection === 'function' || !URL.canParse(String(authority))) return undefined;
  const url = new URL(String(authority));
  return /^https?:$/.test(url.protocol) ? { authority: url, options } : undefined;
}

/** What one request over a session asks for. */
export function streamFacts({ authority }: SessionOrigin, headers: OutgoingHttpHeaders): OutboundFacts {
  const contentType = headers['content-type'];
  const path = String(headers[':path'] ?? '/');
  return {
    method: String(headers[':method'] ?? 'GET'),
    url: new URL(`${authority.origin}${path.startsWith('/') ? path : `/${path}`}`),
    contentType: contentType === undefined ? undefined : String(contentType),
    headers: plainPairs(headers),
  };
}

/** Headers as pairs, without those that begin with a colon. */
export function plainPairs(headers: OutgoingHttpHeaders | IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers)
    .filter(([name, value]) => !name.startsWith(':') && value !== undefined)
    .flatMap(([name, value]) => [value].flat().map((item): [string, string] => [name, String(item)]));
}

/** Pairs as headers; a name that comes more than once has a list. */
export function headersOfPairs(pairs: readonly (readonly [string, string])[]): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of pairs) {
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return headers;
}
