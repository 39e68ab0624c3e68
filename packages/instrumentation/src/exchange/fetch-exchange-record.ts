import { type Exchange, type ExchangeResponse, toChunk } from '@reenact/trace-model';
import { noteFetch } from '../draws/fetch-reads.ts';
import { microsecondsBetween, unixNanoNow } from '../host/monotonic-clock.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import { COMPLETION_TAIL_CHARACTERS_MAX } from '../limits.ts';
import { recordedHeaders, redactedUrl } from '../redaction/places/recorded-headers.ts';
import { BodyTape } from './body-tape.ts';
import type { FetchAttempt, FetchExchangeProtocol } from './fetch-exchange.ts';
import { exchangeError } from './fetch-exchange-error.ts';
import { type BodyTap, tapResponse } from './fetch-exchange-tap.ts';

type ExchangeEnd = ExchangeResponse['end'];

/** The half of a response that is known when its headers arrive. */
type ResponseHead = Omit<ExchangeResponse, 'chunks' | 'end' | 'endAfterUs'>;

interface KeptExchange {
  readonly request: Exchange['request'];
  head: ResponseHead | undefined;
  readonly body: BodyTape;
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return Buffer.from(value, 'utf8');
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return undefined;
}

function requestBody({ body, inputText }: FetchAttempt): Exchange['request']['body'] {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body === inputText ? { sameAs: 'input' } : { text: body };
  if (body instanceof URLSearchParams) return { text: body.toString() };
  const bytes = bytesOf(body);
  if (bytes === undefined) return undefined;
  const [, data] = toChunk(0, bytes);
  return typeof data === 'string' ? { text: data } : data;
}

function requestOf(attempt: FetchAttempt): Exchange['request'] {
  const body = requestBody(attempt);
  const { method, url, headers } = attempt;
  return { method, url: redactedUrl(url), headers: recordedHeaders(headers), ...(body === undefined ? {} : { body }) };
}

/**
 * Records one attempt at the `fetch` layer: hand it to the host through `watch`, or its response through `responded`, or tell `failed`. `onEnd`
 * gets the exchange once: when its body has ended, failed, been aborted or become unreachable, or when it is abandoned.
 * It is called before the host learns of the end, so that what it settles is ordered before whatever the host does next.
 */
export class FetchExchangeRecorder {
  private readonly attempt: number;
  private readonly signal: AbortSignal | undefined;
  private readonly protocol: FetchExchangeProtocol;
  private readonly onEnd: (exchange: Exchange, error: unknown) => void;
  private readonly startedUnixNano = unixNanoNow();
  private firstAfterUs: number | undefined;
  private isUnreadable = false;
  private isAsked = false;
  private isTapped = false;
  private readOn: (() => void) | undefined;
  /** Gone once the exchange has ended: what a `fetch` leaves behind may hold this recorder until a full garbage collection. */
  private kept: KeptExchange | undefined;
  private readonly noteEnd = noteFetch();

  constructor(
    attempt: FetchAttempt,
    onEnd: (exchange: Exchange, error: unknown) => void,
    protocol: FetchExchangeProtocol = {},
  ) {
    this.attempt = attempt.attempt;
    this.signal = attempt.signal;
    this.onEnd = onEnd;
    this.protocol = protocol;
    this.kept = { request: requestOf(attempt), head: undefined, body: new BodyTape() };
  }

  /** Whether `onEnd` has been called. */
  get isOver(): boolean {
    return this.kept === undefined;
  }

  /** The exchange as far as it has come, while its response is still being read; undefined before and after. */
  get underWay(): Exchange | undefined {
    return this.kept?.head === undefined ? undefined : this.exchangeAt(this.kept, 'open', undefined);
  }

  /** Tells once that the host waits for more of the body: has asked for it, and still does when the event loop has turned. */
  readonly onceReadOn = (told: () => void): void => {
    this.readOn = told;
  };

  /** Microseconds from the request until the first chunk of the body; undefined before it. */
  get firstChunkAfterUs(): number | undefined {
    return this.firstAfterUs;
  }

  /** The request failed before there was a response. Never throws. */
  failed(error: unknown): void {
    guarded('recording a failed request', () => this.finish('failed', error), undefined);
  }

  /** The host let go of the exchange, or the crossing ended over it. Never throws. */
  abandon(): void {
    guarded('recording an abandoned exchange', () => this.finish('open', undefined), undefined);
  }

  /** What to hand to the host in place of an attempt under way. Settles as that does. */
  watch(sent: Promise<Response>): Promise<Response> {
    return sent.then(
      (response) => this.responded(response),
      (error: unknown) => {
        this.failed(error);
        throw error;
      },
    );
  }

  /** The response to hand to the host in place of this one. Never throws. */
  responded(response: Response): Response {
    return guarded('recording a response', () => this.observe(response), undefined) ?? response;
  }

  private observe(response: Response): Response | undefined {
    const { kept } = this;
    if (kept === undefined) return undefined;
    const { status, statusText, headers, body } = response;
    const url = redactedUrl(response.url);
    const hasBody = body !== null && body !== undefined;
    const headersAfterUs = this.elapsedUs();
    kept.head = { status, statusText, url, headers: recordedHeaders(headers), headersAfterUs, hasBody };
    if (!hasBody) {
      this.finish('complete', undefined);
      return undefined;
    }
    const tapped = guarded('tapping a response body', () => tapResponse(response, this.tap()), undefined);
    // What cannot be tapped is said to be unread: its recording is then known to be incomplete.
    if (tapped === undefined) this.finish('open', undefined);
    else this.isTapped = true;
    return tapped;
  }

  private tap(): BodyTap {
    return {
      asked: () => {
        this.isAsked = true;
        if (this.readOn !== undefined) pristine.setImmediate(() => this.tellReadOn());
      },
      chunk: (value) => this.keep(value),
      ended: () => this.finish('complete', undefined),
      failed: (error) => {
        // Called off at a moment of somebody else's: whoever reads may ask for more by then.
        this.isAsked = true;
        this.finish(this.signal?.aborted ? 'aborted' : 'failed', error);
      },
      cancelled: () => this.finish(this.isWhole() ? 'complete' : 'aborted', undefined),
      dropped: () => this.finish('open', undefined),
    };
  }

  private tellReadOn(): void {
    const { readOn } = this;
    if (!this.isAsked || this.kept === undefined) return;
    this.readOn = undefined;
    readOn?.();
  }

  private keep(value: unknown): void {
    this.isAsked = false;
    if (this.kept === undefined) return;
    const bytes = bytesOf(value);
    if (bytes === undefined) this.isUnreadable = true;
    if (bytes === undefined || this.isUnreadable) return;
    const offsetUs = this.elapsedUs();
    this.firstAfterUs ??= offsetUs;
    this.kept.body.keep(bytes, offsetUs);
  }

  private isWhole(): boolean {
    const tail = this.kept?.body.tail(COMPLETION_TAIL_CHARACTERS_MAX) ?? '';
    return this.protocol.isWhole?.(tail) ?? false;
  }

  private get reader(): ExchangeResponse['reader'] {
    return this.isAsked ? 'waiting' : 'satisfied';
  }

  private elapsedUs(): number {
    return microsecondsBetween(this.startedUnixNano, unixNanoNow());
  }

  private finish(end: ExchangeEnd, error: unknown): void {
    const { kept } = this;
    if (kept === undefined) return;
    this.kept = undefined;
    this.noteEnd();
    this.onEnd(this.exchangeAt(kept, end, error), error);
  }

  private exchangeAt({ request, head, body }: KeptExchange, end: ExchangeEnd, error: unknown): Exchange {
    return {
      layer: 'fetch',
      attempt: this.attempt,
      startedAtUnixNano: this.startedUnixNano.toString(),
      request,
      ...(head === undefined ? {} : { response: this.responseOf(head, body, end) }),
      ...(error === undefined ? {} : { error: exchangeError(error) }),
    };
  }

  private responseOf(head: ResponseHead, { chunks, cut }: BodyTape, end: ExchangeEnd): ExchangeResponse {
    const isKept = cut === undefined && !this.isUnreadable;
    const told: ExchangeResponse = {
      ...head,
      chunks: [...chunks],
      end: isKept ? end : 'open',
      endAfterUs: this.elapsedUs(),
      ...(isKept && this.isTapped && (end === 'open' || end === 'aborted') ? { reader: this.reader } : {}),
    };
    return cut === undefined ? told : { ...told, cut };
  }
}
