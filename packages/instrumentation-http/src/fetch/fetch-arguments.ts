import type { OutboundFacts } from '../outbound/outbound-call.ts';
import { type FetchBody, fetchBodyOf } from './fetch-body.ts';

/** The parameters of `fetch`. */
export type FetchParameters = Parameters<typeof fetch>;

/** One call of `fetch`, read without taking anything from it. */
export interface FetchRequest extends OutboundFacts {
  readonly headers: Headers;
  readonly body: FetchBody;
  readonly signal: AbortSignal | undefined;
  /** The parameters to call on with: the given ones, save where reading them would have used them up. */
  readonly parameters: FetchParameters;
}

const normalisedMethods: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT']);

/** `fetch` writes these in upper case whatever case they are given in, and leaves all others alone. */
function methodOf(method: string): string {
  const upper = method.toUpperCase();
  return normalisedMethods.has(upper) ? upper : method;
}

/** An iterator can be read once: what it gives is put in its place. */
function readableAgain(init: RequestInit): RequestInit {
  const { headers } = init;
  const isIterator =
    typeof headers === 'object' && headers !== null && typeof Reflect.get(headers, 'next') === 'function';
  if (!isIterator || headers instanceof Headers) return init;
  const pairs = Array.from(headers as Iterable<[string, string]>);
  return Object.create(init, { headers: { value: pairs, enumerable: true } }) as RequestInit;
}

/**
 * Reads what a call of `fetch` asks for. Undefined where the parameters are such that `fetch` refuses them or only it can
 * read them: then nothing goes over the wire, or nobody can say what.
 */
export function readFetchParameters(parameters: FetchParameters): FetchRequest | undefined {
  const [input, givenInit] = parameters;
  const request = input instanceof Request ? input : undefined;
  if (request?.bodyUsed === true && (givenInit?.body === undefined || givenInit.body === null)) return undefined;
  try {
    const init = readableAgain(givenInit ?? {});
    const url = new URL(request === undefined ? String(input) : request.url);
    if (!/^https?:$/.test(url.protocol)) return undefined;
    const headers = new Headers(init.headers ?? request?.headers);
    const body = fetchBodyOf(init.body, request);
    return {
      method: methodOf(String(init.method ?? request?.method ?? 'GET')),
      url,
      headers,
      contentType: headers.get('content-type') ?? body.contentType,
      body,
      signal: init.signal === undefined ? request?.signal : (init.signal ?? undefined),
      parameters: init === givenInit || givenInit === undefined ? parameters : [input, init],
    };
  } catch {
    return undefined;
  }
}
