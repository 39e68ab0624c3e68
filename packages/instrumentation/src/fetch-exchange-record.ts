import { type Exchange, type ExchangeResponse, toChunk } from '@reenact/trace-model';
import { BodyTape } from './body-tape.ts';
import type { FetchAttempt, FetchExchangeProtocol } from './fetch-exchange.ts';
import { exchangeError } from './fetch-exchange-error.ts';
import { type BodyTap, tapResponse } from './fetch-exchange-tap.ts';
import { COMPLETION_TAIL_CHARACTERS_MAX } from './limits.ts';
import { microsecondsBetween, unixNanoNow } from './monotonic-clock.ts';
import { recordedHeaders, redactedUrl } from './redaction/recorded-headers.ts';
import { guarded } from './report-failure.ts';

type ExchangeEnd = ExchangeResponse['end'];

/** The half of a response that is known when its headers arrive. */
type ResponseHead = Omit<ExchangeResponse, 'chunks' | 'end' | 'endAfterUs'>;

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
 * Records one attempt at the `fetch` layer: hand the response to the host through `responded`, or tell `failed`. `onEnd`
 * gets the exchange once: when its body has ended, failed, been aborted or become unreachable, or when it is abandoned.
 * It is called before the host learns of the end, so that what it settles is ordered before whatever the host does next.
 */
export class FetchExchangeRecorder {
  private readonly attempt: FetchAttempt;
  private readonly protocol: FetchExchangeProtocol;
  private readonly onEnd: (exchange: Exchange, error: unknown) => void;
  private readonly request: Exchange['request'];
  private readonly startedUnixNano = unixNanoNow();
  private head: ResponseHead | undefined;
  private readonly body = new BodyTape();
  private isUnreadable = false;
  private hasEnded = false;

  constructor(
    attempt: FetchAttempt,
    onEnd: (exchange: Exchange, error: unknown) => void,
    protocol: FetchExchangeProtocol = {},
  ) {
    this.attempt = attempt;
    this.onEnd = onEnd;
    this.protocol = protocol;
    this.request = requestOf(attempt);
  }

  /** Whether `onEnd` has been called. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /** The exchange as far as it has come, while its response is still being read; undefined before and after. */
  get underWay(): Exchange | undefined {
    return this.head === undefined || this.hasEnded ? undefined : this.exchangeAt('open', undefined);
  }

  /** Microseconds from the request until the first chunk of the body; undefined before it. */
  get firstChunkAfterUs(): number | undefined {
    return this.body.chunks[0]?.[0];
  }

  /** The request failed before there was a response. Never throws. */
  failed(error: unknown): void {
    guarded('recording a failed request', () => this.finish('failed', error), undefined);
  }

  /** The host let go of the exchange, or the crossing ended over it. Never throws. */
  abandon(): void {
    guarded('recording an abandoned exchange', () => this.finish('open', undefined), undefined);
  }

  /** The response to hand to the host in place of this one. Never throws. */
  responded(response: Response): Response {
    return guarded('recording a response', () => this.observe(response), undefined) ?? response;
  }

  private observe(response: Response): Response | undefined {
    const { status, statusText, headers, body } = response;
    const url = redactedUrl(response.url);
    const hasBody = body !== null && body !== undefined;
    const headersAfterUs = this.elapsedUs();
    this.head = { status, statusText, url, headers: recordedHeaders(headers), headersAfterUs, hasBody };
    if (!hasBody) {
      this.finish('complete', undefined);
      return undefined;
    }
    const tapped = guarded('tapping a response body', () => tapResponse(response, this.tap()), undefined);
    // What cannot be tapped is said to be unread: its recording is then known to be incomplete.
    if (tapped === undefined) this.finish('open', undefined);
    return tapped;
  }

  private tap(): BodyTap {
    return {
      chunk: (value) => this.keep(value),
      ended: () => this.finish('complete', undefined),
      failed: (error) => this.finish(this.attempt.signal?.aborted ? 'aborted' : 'failed', error),
      cancelled: () => this.finish(this.isWhole() ? 'complete' : 'aborted', undefined),
      dropped: () => this.finish('open', undefined),
    };
  }

  private keep(value: unknown): void {
    const bytes = bytesOf(value);
    if (bytes === undefined) this.isUnreadable = true;
    else if (!this.isUnreadable) this.body.keep(bytes, this.elapsedUs());
  }

  private isWhole(): boolean {
    return this.protocol.isWhole?.(this.body.tail(COMPLETION_TAIL_CHARACTERS_MAX)) ?? false;
  }

  private elapsedUs(): number {
    return microsecondsBetween(this.startedUnixNano, unixNanoNow());
  }

  private finish(end: ExchangeEnd, error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.onEnd(this.exchangeAt(end, error), error);
  }

  private exchangeAt(end: ExchangeEnd, error: unknown): Exchange {
    const { head } = this;
    return {
      layer: 'fetch',
      attempt: this.attempt.attempt,
      startedAtUnixNano: this.startedUnixNano.toString(),
      request: this.request,
      ...(head === undefined ? {} : { response: this.responseOf(head, end) }),
      ...(error === undefined ? {} : { error: exchangeError(error) }),
    };
  }

  private responseOf(head: ResponseHead, end: ExchangeEnd): ExchangeResponse {
    const { chunks, cut } = this.body;
    const isKept = cut === undefined && !this.isUnreadable;
    const told: ExchangeResponse = {
      ...head,
      chunks: [...chunks],
      end: isKept ? end : 'open',
      endAfterUs: this.elapsedUs(),
    };
    return cut === undefined ? told : { ...told, cut };
  }
}
