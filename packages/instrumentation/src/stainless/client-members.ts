import { withoutDescription } from '../admission/admit-described.ts';
import { gate, tellBegun, wireMode } from '../admission/current-gate.ts';
import { failUnheard } from '../exchange/unheard-failure.ts';
import type { Admission } from '../gate/gate.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import type { AnyFunction } from '../patching/patch-set.ts';
import { withCallPlace } from '../run/call-place.ts';
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
import { contentTypeOf, type ReadUpload, readUpload, streamOf } from './streamed-upload.ts';

type Boundary = ClientGateCall['gateCall']['boundary'];

/** What a patched member needs to know. */
export interface PatchScope extends PatchSettings {
  readonly library: StainlessLibrary;
  /** False once the patch was undone and the function lives on in somebody else's hands. */
  isActive(): boolean;
}

type Entry =
  | { readonly type: 'call'; readonly call: ClientCall; readonly options: RequestOptions }
  | { readonly type: 'pass'; readonly inside: NonNullable<Extract<Admission, { type: 'pass' }>['inside']> }
  | { readonly type: 'refuse'; readonly error: unknown };

/** What a call is told to the gate with, and sent with where it is to be sent. */
interface ToldCall {
  readonly told: RequestOptions;
  readonly sent: RequestOptions;
  readonly failure?: ReadUpload['failure'];
}

function enter(
  client: StainlessClient,
  { sent: options, failure }: ToldCall,
  scope: PatchScope,
  described: ClientGateCall,
): Entry | undefined {
  const { gateCall, responseView } = described;
  const { library } = scope;
  const admission = scope.admit(gateCall);
  const isWhole = (tail: string): boolean => library.isWhole(tail);
  const uploadTo =
    streamOf(options.body) !== undefined && gateCall.boundary.kind === 'http' ? gateCall.input : undefined;
  const parts = { client, options, inputText: gateCall.inputText, uploadTo, responseView, isWhole };
  switch (admission.type) {
    case 'pass':
      return admission.inside && { type: 'pass', inside: admission.inside };
    case 'refuse':
      return { type: 'refuse', error: admission.error };
    case 'run': {
      const { crossing, edited } = admission;
      const asked = edited === undefined ? options : { ...options, body: edited.input };
      if (edited !== undefined)
        guarded(
          'describing an edited request',
          () => crossing.describe(library.describeCall(client, asked, scope).gateCall.span),
          undefined,
        );
      return {
        type: 'call',
        call: new ClientCall({ ...parts, options: asked, crossing, served: undefined }),
        options: asked,
      };
    }
    case 'stub': {
      const { crossing } = admission;
      failUnheard(admission, failure);
      return {
        type: 'call',
        call: new ClientCall({ ...parts, crossing, uploadTo: undefined, served: new ServedAttempts(admission) }),
        options,
      };
    }
  }
}

function entryOf(client: StainlessClient, call: ToldCall, scope: PatchScope): Entry | undefined {
  const { library } = scope;
  try {
    return enter(client, call, scope, library.describeCall(client, call.told, scope));
  } catch (thrown) {
    const said = withoutDescription(`a call of ${library.name}`, thrown);
    return said.type === 'refuse' ? said : undefined;
  }
}

/** The boundary of a plain request, whose body may be anything; undefined of other calls. */
function plainRequest(client: StainlessClient, options: RequestOptions, scope: PatchScope): Boundary | undefined {
  const { library } = scope;
  const described = guarded(
    'describing an upload',
    () => library.describeCall(client, { ...options, body: undefined }, scope),
    undefined,
  );
  const boundary = described?.gateCall.boundary;
  return boundary?.kind === 'http' ? boundary : undefined;
}

/**
 * What is uploaded, read before anything is decided: in a replay it is what is compared. A stream can be read once, so a recording
 * watches it while it is sent.
 */
async function toldCall(client: StainlessClient, options: RequestOptions, scope: PatchScope): Promise<ToldCall> {
  const { body, signal } = options;
  if (gate.isOff) return { told: options, sent: options };
  if (isUpload(body)) return { told: { ...options, body: await readableUpload(body) }, sent: options };
  const stream = streamOf(body);
  const boundary = stream === undefined ? undefined : plainRequest(client, options, scope);
  if (stream === undefined || boundary === undefined) return { told: options, sent: options };
  const told = { ...options, body: undefined };
  if (wireMode() !== 'replay') return { told, sent: options };
  const contentType = contentTypeOf(Reflect.get(options, 'headers'));
  const read: ReadUpload = await runInContext(tellBegun(boundary), () =>
    readUpload(stream, contentType, signal ?? undefined),
  );
  return { told: { ...told, body: read.body }, sent: { ...options, body: read.again() }, failure: read.failure };
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
    const told = await toldCall(client, options, scope);
    const entry = entryOf(client, told, scope);
    if (entry === undefined) return make(told.sent);
    if (entry.type === 'refuse') throw entry.error;
    if (entry.type === 'pass')
      return runInContext(entry.inside.context, () => make(told.sent)).finally(entry.inside.ended);
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

/** `request` of the client, which calls `makeRequest` at once or later: a replay keeps where it was called, which helpers do not wait for. */
export function placedRequest(original: AnyFunction, scope: PatchScope): AnyFunction {
  return function request(this: unknown, ...parameters: unknown[]): unknown {
    const make = (): unknown => Reflect.apply(original, this, parameters);
    return scope.isActive() && wireMode() === 'replay' ? withCallPlace(request, make) : make();
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
    const [, , ...others] = parameters;
    return call.fetch({ url, init, signal: controller?.signal }, (sent) =>
      sent === init ? original.apply(this, parameters) : original.call(this, url, sent, ...others),
    );
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
    return call.fetch(attempt, (sent) =>
      sent === init ? original.apply(this, parameters) : original.call(this, url, sent),
    );
  };
}

/** A member that gives credentials; it is not asked for a call that is served. */
export function gatedCredentials(
  original: (...parameters: unknown[]) => unknown,
  member: CredentialMember,
): (...parameters: unknown[]) => unknown {
  const served = async (client: StainlessClient, parameters: unknown[]): Promise<unknown> =>
    member.served(client, parameters);
  return function credentials(this: StainlessClient, ...parameters: unknown[]): unknown {
    // Not by way of a promise of ours: the client would go on several microtasks later than without us.
    if (!ClientCall.current(this)?.isServed) return Reflect.apply(original, this, parameters);
    return served(this, parameters);
  };
}
