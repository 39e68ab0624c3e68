import type { Admission, GateCall } from '@reenact/instrumentation';
import { guarded } from '@reenact/instrumentation';
import { ClientCall } from './client-call.ts';
import { type CallSettings, type ClientGateCall, gateCallOf } from './gate-call.ts';
import type {
  BearerAuth,
  CallApiKey,
  ClientFetch,
  FetchInit,
  FetchWithTimeout,
  MakeRequest,
  OpenAIClient,
  RequestOptions,
  RequestResult,
} from './internal-types.ts';
import { ServedAttempts } from './served-attempts.ts';

/** Asks the gate about a call. */
export type Admit = (call: GateCall) => Admission;

/** What a patched member needs to know. */
export interface PatchScope extends CallSettings {
  readonly admit: Admit;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
}

/** Stands where the token would be in a request that is never sent. */
const SERVED_API_KEY = 'reenact-replay';

type Entry =
  | { readonly type: 'call'; readonly call: ClientCall; readonly options: RequestOptions }
  | { readonly type: 'refuse'; readonly error: unknown };

function enter(
  client: OpenAIClient,
  options: RequestOptions,
  scope: PatchScope,
  described: ClientGateCall,
): Entry | undefined {
  const { endpoint, gateCall } = described;
  const admission = scope.admit(gateCall);
  const parts = { client, endpoint, options, inputText: gateCall.inputText };
  switch (admission.type) {
    case 'pass':
      return undefined;
    case 'refuse':
      return { type: 'refuse', error: admission.error };
    case 'run': {
      const { crossing, edited } = admission;
      const sent = edited === undefined ? options : { ...options, body: edited.input };
      if (edited !== undefined)
        guarded(
          'describing an edited request',
          () => crossing.describe(gateCallOf(client, sent, scope).gateCall.span),
          undefined,
        );
      return {
        type: 'call',
        call: new ClientCall({ ...parts, options: sent, crossing, served: undefined }),
        options: sent,
      };
    }
    case 'stub': {
      const { crossing } = admission;
      return {
        type: 'call',
        call: new ClientCall({ ...parts, crossing, served: new ServedAttempts(admission) }),
        options,
      };
    }
  }
}

function entryOf(client: OpenAIClient, options: RequestOptions, scope: PatchScope): Entry | undefined {
  return guarded(
    'admitting a call of openai',
    () => enter(client, options, scope, gateCallOf(client, options, scope)),
    undefined,
  );
}

/** `makeRequest` of the client as the gate sees it: the first call is a crossing, a retry belongs to its first. */
export function gatedMakeRequest(original: MakeRequest, scope: PatchScope): MakeRequest {
  async function first(client: OpenAIClient, ...parameters: Parameters<MakeRequest>): Promise<RequestResult> {
    const [optionsInput, retriesRemaining, retryOf] = parameters;
    // Awaited apart from the call, so that options that reject do so inside the client, as they always did.
    const options = await Promise.resolve(optionsInput).catch(() => undefined);
    if (options === undefined) return original.call(client, optionsInput, retriesRemaining, retryOf);
    const make = (sent: RequestOptions): Promise<RequestResult> =>
      original.call(client, sent, retriesRemaining, retryOf);
    const entry = entryOf(client, options, scope);
    if (entry === undefined) return make(options);
    if (entry.type === 'refuse') throw entry.error;
    return entry.call.request(() => make(entry.options), retriesRemaining);
  }
  return function makeRequest(this: OpenAIClient, ...parameters: Parameters<MakeRequest>): Promise<RequestResult> {
    const [options, retriesRemaining, retryOf] = parameters;
    if (!scope.isActive()) return original.apply(this, parameters);
    if (retryOf === undefined) return first(this, ...parameters);
    const call = ClientCall.ofRetry(this, options);
    if (call === undefined) return original.apply(this, parameters);
    return call.request(() => original.apply(this, parameters), retriesRemaining);
  };
}

/** As the client's own fetchWithTimeout does: the caller's abort reaches the controller. */
function followCaller({ signal }: FetchInit, controller: AbortController | undefined): void {
  if (signal === undefined || signal === null || controller === undefined) return;
  if (signal.aborted) controller.abort();
  else signal.addEventListener('abort', () => controller.abort(), { once: true });
}

/** `fetchWithTimeout` of the client as one attempt of the call around it. */
export function gatedFetchWithTimeout(original: FetchWithTimeout): FetchWithTimeout {
  return function fetchWithTimeout(this: OpenAIClient, ...parameters: Parameters<FetchWithTimeout>): Promise<Response> {
    const [url, givenInit, , controller] = parameters;
    const call = ClientCall.current(this);
    if (call === undefined) return original.apply(this, parameters);
    const init = givenInit ?? {};
    if (call.isServed) followCaller(init, controller);
    return call.fetch({ url, init, signal: controller?.signal }, () => original.apply(this, parameters));
  };
}

/** The client's `fetch` as one attempt of the call around it. */
export function gatedClientFetch(original: ClientFetch, client: OpenAIClient): ClientFetch {
  return function fetch(this: unknown, ...parameters: Parameters<ClientFetch>): Promise<Response> {
    const [url, givenInit] = parameters;
    const call = ClientCall.current(client);
    if (call === undefined) return original.apply(this, parameters);
    const init = givenInit ?? {};
    const attempt = { url: String(url), init, signal: init.signal ?? undefined };
    return call.fetch(attempt, () => original.apply(this, parameters));
  };
}

/** Credential functions may ask a token service: a served call sends nothing, so it needs no key. */
export function gatedCallApiKey(original: CallApiKey): CallApiKey {
  return async function _callApiKey(this: OpenAIClient, ...parameters: Parameters<CallApiKey>): Promise<boolean> {
    if (!ClientCall.current(this)?.isServed) return original.apply(this, parameters);
    const [capture] = parameters;
    capture?.(this.apiKey ?? SERVED_API_KEY);
    return false;
  };
}

/** As `gatedCallApiKey`, for the authorization header of token-exchanging credentials. */
export function gatedBearerAuth(original: BearerAuth): BearerAuth {
  return async function bearerAuth(this: OpenAIClient, ...parameters: unknown[]): Promise<unknown> {
    if (!ClientCall.current(this)?.isServed) return original.apply(this, parameters);
    return { Authorization: `Bearer ${SERVED_API_KEY}` };
  };
}
