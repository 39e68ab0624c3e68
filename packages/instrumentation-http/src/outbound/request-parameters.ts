import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { recordedHeaders } from '@reenact/instrumentation';
import type { Exchange } from '@reenact/trace-model';
import { headersOf } from '../headers-of.ts';
import { recordedUrl } from '../recorded-url.ts';
import type { OutboundFacts } from './outbound-call.ts';

/** The parameters of `http.request` in any of their shapes. */
export type RequestParameters = readonly unknown[];

/** The parameters of `http.request`, told apart. */
export interface ParsedParameters {
  /** Address given apart from the options. */
  readonly target: string | URL | undefined;
  readonly options: RequestOptions;
  readonly callback: ((response: IncomingMessage) => void) | undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Tells a URL from options as `http.request` does, so that the URL class of a polyfill counts, too. */
function isUrl(value: unknown): value is URL {
  if (!isObject(value)) return false;
  const has = (key: string): boolean => Reflect.get(value, key) !== undefined;
  return Boolean(Reflect.get(value, 'href') && Reflect.get(value, 'protocol')) && !has('auth') && !has('path');
}

/** Reads `(url[, options][, callback])` and `(options[, callback])` as `http.request` does. */
export function parseRequestParameters(parameters: RequestParameters): ParsedParameters {
  const [first, second, third] = parameters;
  const target = typeof first === 'string' || isUrl(first) ? first : undefined;
  const options = target === undefined ? first : second;
  const last = target === undefined || typeof second === 'function' ? second : third;
  return {
    target,
    options: isObject(options) ? (options as RequestOptions) : {},
    callback: typeof last === 'function' ? (last as (response: IncomingMessage) => void) : undefined,
  };
}

/** The parameters as `http.request` takes them, with some options set. */
export function withOptions(parsed: ParsedParameters, set: RequestOptions): unknown[] {
  const { target, options, callback } = parsed;
  const given = { ...options, ...set };
  return [...(target === undefined ? [] : [target]), given, ...(callback === undefined ? [] : [callback])];
}

function portOf({ target, options }: ParsedParameters, agent: unknown, scheme: string): string {
  if (options.port !== undefined && options.port !== null) return String(options.port);
  if (target !== undefined) return new URL(String(target)).port;
  const defaultPort = options.defaultPort ?? (isObject(agent) ? Reflect.get(agent, 'defaultPort') : undefined);
  return typeof defaultPort === 'number' && scheme === 'http:' && defaultPort !== 80 ? String(defaultPort) : '';
}

function urlOf(request: ClientRequest, parsed: ParsedParameters): URL {
  const { path, host, protocol } = request;
  // Sent through a proxy: the whole address is in the path.
  if (/^https?:\/\//i.test(path)) return new URL(path);
  const scheme = protocol === 'https:' ? 'https:' : 'http:';
  const hostname = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  const port = portOf(parsed, Reflect.get(request, 'agent'), scheme);
  const url = new URL(`${scheme}//${hostname}${port === '' ? '' : `:${port}`}`);
  return new URL(path.startsWith('/') ? `${url.origin}${path}` : `${url.origin}/${path}`);
}

/** What a made request is about; asked again at its end, when all its headers are known. */
export function requestFacts(request: ClientRequest, parsed: ParsedParameters): OutboundFacts {
  const { headers: given } = parsed.options;
  // Those given as a list are written at once, and the request cannot tell of them any more.
  const headers = Array.isArray(given) ? (headersOf(given) ?? []) : requestHeaders(request);
  return {
    method: request.method,
    url: urlOf(request, parsed),
    contentType: headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1],
    headers,
  };
}

/** The headers that can be set on a request, as pairs, names as they were given. */
export function requestHeaders(request: ClientRequest): [string, string][] {
  return request.getRawHeaderNames().flatMap((name): [string, string][] => {
    const value = request.getHeader(name);
    return (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]);
  });
}

/** The agent a request would have used, as far as its parameters tell. */
export function givenAgent({ options }: ParsedParameters, globalAgent: Agent): Agent | undefined {
  const { agent, createConnection } = options;
  if (typeof agent === 'object' && agent !== null) return agent;
  return agent === false || createConnection !== undefined ? undefined : globalAgent;
}

/** The request half of an exchange. The body is the crossing's input, kept there once. */
export function exchangeRequest(request: ClientRequest, parsed: ParsedParameters): Exchange['request'] {
  const { method, url, headers } = requestFacts(request, parsed);
  return { method, url: recordedUrl(url), headers: recordedHeaders(headers) };
}

/** One of the host's headers as text; undefined where it was not set. */
export function givenHeader(request: ClientRequest, name: string): string | undefined {
  const value = request.getHeader(name);
  return value === undefined ? undefined : Array.isArray(value) ? value.join(',') : String(value);
}

/** Whether a request asks for a go-ahead before it sends its body. */
export function asksToContinue(request: ClientRequest): boolean {
  return /100-continue/i.test(String(request.getHeader('expect') ?? ''));
}

export function asksForWebSocket(request: ClientRequest): boolean {
  return givenHeader(request, 'upgrade')?.toLowerCase() === 'websocket';
}
