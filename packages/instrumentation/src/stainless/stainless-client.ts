/**
 * What we rely on inside the clients that the Stainless generator makes (openai, Anthropic). They declare these members
 * private, so they are typed here by shape; each is checked to exist before it is patched.
 */

/** The options of one API call after the client has resolved them. */
export interface RequestOptions {
  readonly method: string;
  readonly path: string;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly stream?: boolean;
  readonly signal?: AbortSignal | null;
  readonly maxRetries?: number;
  readonly defaultBaseURL?: string;
}

/** What `makeRequest` resolves with. */
export interface RequestResult {
  readonly response: Response;
}

/** `makeRequest`: one API call; the client calls it again, with the log id of the first, for each retry. */
export type MakeRequest = (
  this: StainlessClient,
  options: RequestOptions | PromiseLike<RequestOptions>,
  retriesRemaining: number | null,
  retryOfRequestLogID: string | undefined,
  ...others: readonly unknown[]
) => Promise<RequestResult>;

/** What the client hands to `fetchWithTimeout`. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: unknown;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null;
}

/** `fetchWithTimeout`: one attempt on the wire. */
export type FetchWithTimeout = (
  this: StainlessClient,
  url: string,
  init: FetchInit | undefined,
  timeoutMs: number,
  controller: AbortController,
  ...others: readonly unknown[]
) => Promise<Response>;

/** The client's own `fetch` option. */
export type ClientFetch = (url: unknown, init?: FetchInit) => Promise<Response>;

/** A client of any such library, version and module system. */
export interface StainlessClient {
  readonly baseURL?: string;
  readonly maxRetries?: number;
  makeRequest: MakeRequest;
  fetchWithTimeout: FetchWithTimeout;
  fetch: ClientFetch;
  withOptions?: (this: StainlessClient, options: unknown) => StainlessClient;
  buildURL?: (path: string, query: unknown, defaultBaseURL?: string) => string;
  apiKey?: unknown;
}
