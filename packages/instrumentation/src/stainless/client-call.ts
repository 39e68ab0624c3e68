import { AsyncLocalStorage } from 'node:async_hooks';
import { type Attributes, context } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_RESEND_COUNT, ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import { ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK } from '@reenact/semconv/gen-ai';
import type { Exchange } from '@reenact/trace-model';
import { FetchExchangeRecorder } from '../exchange/fetch-exchange-record.ts';
import type { UploadBody } from '../exchange/upload-tape.ts';
import type { SemconvView } from '../gate/boundary-definition.ts';
import type { OpenCrossing, RawOutcome } from '../gate/gate.ts';
import { definedAttributes } from '../gate/span-attributes.ts';
import { guarded } from '../host/report-failure.ts';
import { runInContext } from '../host/run-in-context.ts';
import { RESPONSE_VIEW_CHARACTERS_MAX } from '../limits.ts';
import { handedOn } from '../results/observe-promise.ts';
import { numberOf } from '../view/members.ts';
import { withOwnedWire } from '../wire/owned-wire.ts';
import { isStreamed, outcomeOfExchange, responseText } from './outcome-of-exchange.ts';
import { recordedError } from './recorded-error.ts';
import type { AskedAttempt, ServedAttempts } from './served-attempts.ts';
import type { FetchInit, RequestOptions, RequestResult, StainlessClient } from './stainless-client.ts';
import { watchedUpload } from './streamed-upload.ts';

/** One attempt as the client asks for it. */
export interface Attempt {
  readonly url: string;
  readonly init: FetchInit;
  readonly signal: AbortSignal | undefined;
}

/** What one client call is made of. */
export interface ClientCallParts {
  readonly client: StainlessClient;
  readonly crossing: OpenCrossing;
  readonly options: RequestOptions;
  readonly inputText: string | undefined;
  /** The call's input without its body, where that is known only when it has been sent. */
  readonly uploadTo: unknown;
  /** What the body of a response says; absent where the library gives no view of this call. */
  readonly responseView: ((body: string, isStreamed: boolean) => SemconvView) | undefined;
  /** Whether nothing follows an event stream that ends so. */
  readonly isWhole: (tail: string) => boolean;
  /** Present in a replay: answers the attempts. */
  readonly served: ServedAttempts | undefined;
}

/** Those of a call that is over. */
const noOptions: RequestOptions = { method: 'get', path: '' };

const storage = new AsyncLocalStorage<ClientCall>();
/** Found again by the options object, which the client keeps over the retries that start after its first answer. */
const callsByOptions = new WeakMap<object, ClientCall>();

function headerPairs(headers: unknown): Iterable<readonly [string, string]> {
  return guarded<Iterable<readonly [string, string]>>(
    'reading request headers',
    () => (headers instanceof Headers ? headers : new Headers(headers as ConstructorParameters<typeof Headers>[0])),
    [],
  );
}

function askedAttempt({ url, init, signal }: Attempt): AskedAttempt {
  return { url, headers: headerPairs(init.headers), signal };
}

/** Whether this version of the client makes another attempt when a body takes too long. */
function retriesBodies(client: StainlessClient): boolean {
  return 'parseResponseWithTimeout' in client;
}

/**
 * One API call of the client and its crossing, from the first attempt to the end of the last body. Settles the crossing
 * once; nothing it does reaches the host.
 */
export class ClientCall {
  private parts: ClientCallParts;
  private requestsRunning = 0;
  private retriesRemaining = 0;
  private attempts = 0;
  private recorder: FetchExchangeRecorder | undefined;
  /** What still listens to the caller's signal, which may live on and holds this call then. */
  private readonly stopListening: (() => void)[] = [];
  private firstChunkAfterUs: number | undefined;
  private last: { readonly exchange: Exchange; readonly error: unknown } | undefined;

  constructor(parts: ClientCallParts) {
    this.parts = parts;
    callsByOptions.set(parts.options, this);
  }

  /**
   * The call that a retry of this client belongs to. The one around, where it was made with these options; else by the
   * options alone, which several calls may share; else the one around, which the client retries with a copy of them.
   */
  static ofRetry(client: StainlessClient, options: unknown): ClientCall | undefined {
    const around = ClientCall.current(client);
    if (around?.parts.options === options) return around;
    const known = typeof options === 'object' && options !== null ? callsByOptions.get(options) : undefined;
    return known ?? around;
  }

  /** The call of this client that is being made here, or undefined. */
  static current(client: StainlessClient): ClientCall | undefined {
    const call = storage.getStore();
    return call?.parts.client === client ? call : undefined;
  }

  /** Whether a replay answers this call. */
  get isServed(): boolean {
    return this.parts.served !== undefined;
  }

  /** Runs the client's `makeRequest` for the first attempt or a retry. Settles as it does, save for a replay's own errors. */
  request(make: () => Promise<RequestResult>, retriesRemaining: number | null): Promise<RequestResult> {
    const { client, crossing, options, served } = this.parts;
    const retriesMax = options.maxRetries ?? client.maxRetries;
    this.retriesRemaining = retriesRemaining ?? numberOf(retriesMax) ?? 0;
    this.requestsRunning += 1;
    // An async function, so that an overridden makeRequest that throws at once is seen to end, too.
    const made = runInContext(crossing.context, () => storage.run(this, async () => make()));
    const result =
      served === undefined ? made : Promise.race([made.then((value) => this.onlyServed(value)), served.failure]);
    // Not only listened to: V8 follows a promise to who waits for it only where one does, and the stack of an error ended at the client.
    return handedOn(result, {
      fulfilled: () => this.responded(),
      rejected: (error) => this.threw(error),
    });
  }

  /** A response that no recorded exchange gave came from elsewhere: a subclass or transport that is not covered. */
  private onlyServed(value: RequestResult): RequestResult | Promise<never> {
    const { served } = this.parts;
    if (served === undefined || served.count > 0) return value;
    served.exhaust('The client was answered without its fetch: this transport is not covered.');
    return served.failure;
  }

  /** Runs one attempt: over the wire, or over what was recorded of it. */
  fetch(attempt: Attempt, send: (init: FetchInit) => Promise<Response>): Promise<Response> {
    const { served } = this.parts;
    const recorder = guarded('recording an attempt', () => this.startRecorder(attempt), undefined);
    const sent =
      served === undefined ? this.send(() => send(this.watched(attempt.init))) : served.next(askedAttempt(attempt));
    return recorder === undefined ? sent : recorder.watch(sent);
  }

  /** What is sent, its body watched where it is read only now. Never throws. */
  private watched(init: FetchInit): FetchInit {
    const { crossing, uploadTo } = this.parts;
    if (uploadTo === undefined) return init;
    crossing.awaitsInput();
    const complete = (body: UploadBody): void => {
      crossing.completeInput({ ...(uploadTo as object), body });
    };
    return guarded('watching an upload', () => watchedUpload(init, complete), init);
  }

  /** Sends for real; the HTTP request below is this exchange and no crossing of its own. */
  private send(send: () => Promise<Response>): Promise<Response> {
    const owned = guarded('owning a request', () => withOwnedWire(context.active()), undefined);
    return owned === undefined ? send() : runInContext(owned, send);
  }

  private startRecorder({ url, init, signal }: Attempt): FetchExchangeRecorder {
    const { crossing, inputText, isWhole } = this.parts;
    const attempt = this.attempts;
    this.attempts += 1;
    const startedAfterUs = crossing.elapsedUs();
    const recorder = new FetchExchangeRecorder(
      {
        attempt,
        method: (init.method ?? 'GET').toUpperCase(),
        url,
        headers: headerPairs(init.headers),
        body: init.body,
        inputText,
        signal,
      },
      (exchange, error) => {
        const first = recorder.firstChunkAfterUs;
        this.firstChunkAfterUs = first === undefined ? undefined : startedAfterUs + first;
        this.exchanged(exchange, error);
      },
      { isWhole },
    );
    this.recorder = recorder;
    crossing.answersAs('exchange');
    crossing.exchanging(
      () => recorder.underWay,
      (exchange) => this.bodyView(exchange),
      recorder.onceReadOn,
    );
    return recorder;
  }

  private exchanged(exchange: Exchange, error: unknown): void {
    this.last = { exchange, error };
    this.parts.crossing.addExchange(exchange);
    if (this.requestsRunning === 0) this.concludeUnlessRetried();
  }

  private responded(): void {
    this.requestsRunning -= 1;
    if (this.requestsRunning > 0) return;
    if (this.recorder === undefined) this.settle(() => ({ type: 'returned', value: undefined }));
    else if (this.recorder.isOver) this.concludeUnlessRetried();
  }

  private threw(error: unknown): void {
    this.requestsRunning -= 1;
    if (this.requestsRunning > 0) return;
    this.recorder?.abandon();
    const isAbort = error instanceof Error && error.constructor.name === 'APIUserAbortError';
    this.settle(() => {
      const kept = guarded('reading an error', () => recordedError(error), error);
      return isAbort ? { type: 'aborted', chunks: [], error: kept } : { type: 'threw', error: kept };
    });
  }

  /** The body of the last attempt is over; the client may have stopped it itself, to try again. */
  private concludeUnlessRetried(): void {
    const { last } = this;
    if (last === undefined) return;
    if (!this.isRetried(last.exchange, last.error)) {
      this.conclude(last.exchange, last.error);
      return;
    }
    // The next attempt takes over; only the caller can still call it off.
    const { signal } = this.parts.options;
    const conclude = (): void =>
      guarded('settling an aborted call', () => this.conclude(last.exchange, last.error), undefined);
    signal?.addEventListener('abort', conclude, { once: true });
    this.stopListening.push(() => signal?.removeEventListener('abort', conclude));
  }

  /** Whether the client cut this body off at its own time limit and has attempts left; a cancelled body has no error. */
  private isRetried(exchange: Exchange, error: unknown): boolean {
    const { client, options } = this.parts;
    const isCut = exchange.response?.end === 'aborted' && error !== undefined && !isStreamed(exchange);
    return isCut && !options.signal?.aborted && this.retriesRemaining > 0 && retriesBodies(client);
  }

  private conclude(exchange: Exchange, error: unknown): void {
    if (this.requestsRunning > 0) return;
    const view = guarded('describing a response', () => this.bodyView(exchange), {});
    this.settle(() => outcomeOfExchange(exchange, error), view);
  }

  /** `view`: what the body says. Told together with what is known of the transport, for each telling copies and searches attributes. */
  private settle(outcome: () => RawOutcome, view: SemconvView = {}): void {
    const { crossing } = this.parts;
    const transport = guarded('describing a call', () => this.transportAttributes(), {});
    crossing.describe({ ...view, slim: { ...transport, ...view.slim } });
    // Without a word on the wire there is only what the promise did.
    if (this.last === undefined) guarded('naming a call shape', () => crossing.answersAs('promise'), undefined);
    crossing.settle(outcome());
    this.letGo();
  }

  /** The crossing has it all, and what the client's `fetch` leaves behind holds the context of the request, with this call in it. */
  private letGo(): void {
    for (const stop of this.stopListening.splice(0)) stop();
    this.parts = {
      ...this.parts,
      options: noOptions,
      inputText: undefined,
      uploadTo: undefined,
      responseView: undefined,
    };
    this.last = undefined;
    this.recorder = undefined;
  }

  private transportAttributes(): Attributes {
    const { last, firstChunkAfterUs } = this;
    const streamed = last !== undefined && isStreamed(last.exchange) && this.parts.responseView !== undefined;
    return definedAttributes({
      [ATTR_HTTP_REQUEST_RESEND_COUNT]: this.attempts > 1 ? this.attempts - 1 : undefined,
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: last?.exchange.response?.status,
      [ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]:
        streamed && firstChunkAfterUs !== undefined ? firstChunkAfterUs / 1_000_000 : undefined,
    });
  }

  private bodyView(exchange: Exchange): SemconvView {
    const { responseView } = this.parts;
    const text = responseView === undefined ? undefined : responseText(exchange, RESPONSE_VIEW_CHARACTERS_MAX);
    if (responseView === undefined || text === undefined || text === '') return {};
    return responseView(text, isStreamed(exchange));
  }
}
