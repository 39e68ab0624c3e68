import { gate } from '../admission/current-gate.ts';
import { guarded } from '../host/report-failure.ts';
import { ClientCall } from './client-call.ts';
import { isUpload, readableUpload } from './readable-upload.ts';
import { ServedAttempts } from './served-attempts.ts';
import type {
  ClientFetch,
  FetchInit,
  FetchWithTimeout,
  MakeRequest,
  RequestOptions,
  RequestResult,
  StainlessClient,
} from './stainless-client.ts';
import type { ClientGateCall, CredentialMember, PatchSettings, StainlessLibrary } from './stainless-library.ts';

/** What a patched member needs to know. */
export interface PatchScope extends PatchSettings {
  readonly library: StainlessLibrary;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
}

type Entry =
  | { readonly type: 'call'; readonly call: ClientCall; readonly options: RequestOptions }
  | { readonly type: 'refuse'; readonly error: unknown };

function enter(
  client: StainlessClient,
  options: RequestOptions,
  scope: PatchScope,
  described: ClientGateCall,
): Entry | undefined {
  const { gateCall, responseView } = described;
  const { library } = scope;
  const admission = scope.admit(gateCall);
  const isWhole = (tail: string): boolean => library.isWhole(tail);
  const parts = { client, options, inputText: gateCall.inputText, responseView, isWhole };
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
          () => crossing.describe(library.describeCall(client, sent, scope).gateCall.span),
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

function entryOf(
  client: StainlessClient,
  options: RequestOptions,
  scope: PatchScope,
  told: RequestOptions,
): Entry | undefined {
  return guarded(
    `admitting a call of ${scope.library.name}`,
    () => enter(client, options, scope, scope.library.describeCall(client, told, scope)),
    undefined,
  );
}

/** `makeRequest` of the client as the gate sees it: the first call is a crossing, a retry belongs to its first. */
export function gatedMakeRequest(original: MakeRequest, scope: PatchScope): MakeRequest {
  async function first(client: StainlessClient, ...parameters: Parameters<MakeRequest>): Promise<RequestResult> {
    const [optionsInput, retriesRemaining, retryOf, ...others] = parameters;
    // Awaited apart from the call, so that options that reject do so inside the client, as they always did.
    const options = await Promise.resolve(optionsInput).catch(() => undefined);
    if (options === undefined) return original.apply(client, parameters);
    const make = (sent: RequestOptions): Promise<RequestResult> =>
      original.call(client, sent, retriesRemaining, retryOf, ...others);
    const { body } = options;
    // Read before anything is decided: in a replay the files are what is compared.
    const told = !gate.isOff && isUpload(body) ? { ...options, body: await readableUpload(body) } : options;
    const entry = entryOf(client, options, scope, told);
    if (entry === undefined) return make(options);
    if (entry.type === 'refuse') throw entry.error;
    return entry.call.request(() => make(entry.options), retriesRemaining);
  }
  return function makeRequest(this: StainlessClient, ...parameters: Parameters<MakeRequest>): Promise<RequestResult> {
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
  return function fetchWithTimeout(
    this: StainlessClient,
    ...parameters: Parameters<FetchWithTimeout>
  ): Promise<Response> {
    const [url, givenInit, , controller] = parameters;
    const call = ClientCall.current(this);
    if (call === undefined) return original.apply(this, parameters);
    const init = givenInit ?? {};
    if (call.isServed) followCaller(init, controller);
    return call.fetch({ url, init, signal: controller?.signal }, () => original.apply(this, parameters));
  };
}

/** The client's `fetch` as one attempt of the call around it. */
export function gatedClientFetch(original: ClientFetch, client: StainlessClient): ClientFetch {
  return function fetch(this: unknown, ...parameters: Parameters<ClientFetch>): Promise<Response> {
    const [url, givenInit] = parameters;
    const call = ClientCall.current(client);
    if (call === undefined) return original.apply(this, parameters);
    const init = givenInit ?? {};
    const attempt = { url: String(url), init, signal: init.signal ?? undefined };
    return call.fetch(attempt, () => original.apply(this, parameters));
  };
}

/** A member that gives credentials; it is not asked for a call that is served. */
export function gatedCredentials(
  original: (...parameters: unknown[]) => unknown,
  member: CredentialMember,
): (...parameters: unknown[]) => unknown {
  return async function credentials(this: StainlessClient, ...parameters: unknown[]): Promise<unknown> {
    if (!ClientCall.current(this)?.isServed) return Reflect.apply(original, this, parameters);
    return member.served(this, parameters);
  };
}
