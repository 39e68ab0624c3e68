/**
 * What this package relies on inside the openai client. The client declares these members private, so they are typed
 * here by shape; each is checked to exist before it is patched.
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
  this: OpenAIClient,
  options: RequestOptions | PromiseLike<RequestOptions>,
  retriesRemaining: number | null,
  retryOfRequestLogID: string | undefined,
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
  this: OpenAIClient,
  url: string,
  init: FetchInit | undefined,
  timeoutMs: number,
  controller: AbortController,
) => Promise<Response>;

/** The client's own `fetch` option. */
export type ClientFetch = (url: unknown, init?: FetchInit) => Promise<Response>;

/** `_callApiKey`: asks a credential function for a key. */
export type CallApiKey = (this: OpenAIClient, capture?: (key: unknown) => void) => Promise<boolean>;

/** `bearerAuth`: the authorization header, for which a token service may be asked. */
export type BearerAuth = (this: OpenAIClient, ...parameters: unknown[]) => Promise<unknown>;

/** An openai client, of any version and module system. */
export interface OpenAIClient {
  readonly baseURL?: string;
  readonly maxRetries?: number;
  readonly deploymentName?: string;
  makeRequest: MakeRequest;
  fetchWithTimeout: FetchWithTimeout;
  fetch: ClientFetch;
  bearerAuth?: BearerAuth;
  _callApiKey?: CallApiKey;
  withOptions?: (this: OpenAIClient, options: unknown) => OpenAIClient;
  buildURL?: (path: string, query: unknown, defaultBaseURL?: string) => string;
  apiKey?: unknown;
}

/** A member of the client's options, request or response, not yet looked at. */
export type Members = Readonly<Record<string, unknown>>;
