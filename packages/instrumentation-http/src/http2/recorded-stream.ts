import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2';
import {
  BodyTape,
  exchangeError,
  guarded,
  microsecondsBetween,
  type OpenCrossing,
  recordedHeaders,
  unixNanoNow,
} from '@reenact/instrumentation';
import type { Exchange, ExchangeResponse } from '@reenact/trace-model';
import { headerPairs } from '../header-pairs.ts';
import { patchInstance } from '../instance-patch.ts';
import { type ResponseHead, recordedResponse } from '../outbound/recorded-response.ts';
import { readerOf, watchPipes, whenReadBeyond } from '../outbound/response-reader.ts';
import { exchangeView, settleExchange } from '../outbound/settle-exchange.ts';
import { requestsOf } from './recorded-pushes.ts';
import { plainPairs } from './session-origin.ts';

type AnyMethod = (...values: never[]) => unknown;

/** Whether a connection is gone: once its socket has closed, Node.js closes each stream itself, and destroys the session after. */
function isGone(session: ClientHttp2Stream['session']): boolean {
  return session === undefined || session.destroyed || session.socket.destroyed;
}

/** Records one request of an HTTP/2 session under its crossing, at the `http` layer. It watches and adds no listener. */
export class RecordedStream {
  private readonly stream: ClientHttp2Stream;
  private readonly crossing: OpenCrossing;
  private readonly request: Exchange['request'];
  private readonly startedUnixNano = unixNanoNow();
  private readonly body = new BodyTape();
  private head: ResponseHead | undefined;
  private trailers: [string, string][] = [];
  /** How the host stood to the answer when it was called off; what it reads is gone after. */
  private reader: ExchangeResponse['reader'];
  private readonly siblings: Set<OpenCrossing>;
  private wasCalledOff = false;
  private hasEnded = false;

  constructor(stream: ClientHttp2Stream, crossing: OpenCrossing, request: Exchange['request']) {
    this.stream = stream;
    this.crossing = crossing;
    this.request = request;
    this.siblings = requestsOf(stream.session ?? stream).add(crossing);
    crossing.exchanging(
      () => (this.head === undefined || this.hasEnded ? undefined : this.exchangeAt('open', undefined)),
      exchangeView,
      (told) => whenReadBeyond(this.stream, told),
    );
    watchPipes(this.stream);
    this.watch('emit', (event, ...values) => this.saw(String(event), values));
    this.watch('push', (chunk) => {
      if (chunk instanceof Uint8Array) this.body.keep(chunk, this.elapsedUs());
    });
    // The wire closes a stream before it is destroyed; whoever calls it off does not.
    for (const key of ['close', 'destroy'] as const) this.watch(key, () => this.calledOff());
  }

  private watch(key: 'emit' | 'push' | 'close' | 'destroy', seen: (...values: unknown[]) => void): void {
    patchInstance(this.stream as object as Record<string, AnyMethod>, key, (original) => {
      return function watched(this: unknown, ...values: unknown[]): unknown {
        guarded('recording an HTTP/2 request', () => seen(...values), undefined);
        return Reflect.apply(original, this, values);
      } as AnyMethod;
    });
  }

  private calledOff(): void {
    const { stream } = this;
    this.reader ??= readerOf(stream);
    if (!stream.closed && !stream.readableEnded && !isGone(stream.session)) this.wasCalledOff = true;
  }

  private saw(event: string, values: unknown[]): void {
    switch (event) {
      case 'response':
        this.responded(values[0] as IncomingHttpHeaders, values[2]);
        break;
      case 'headers':
        this.crossing.markLossy('/exchanges/0/response interim answers not kept');
        break;
      case 'trailers':
        this.trailers = plainPairs(values[0] as IncomingHttpHeaders);
        break;
      case 'end':
        if (this.stream.rstCode === 0 && !this.wasCalledOff) this.finish('complete', undefined);
        break;
      case 'error':
        this.finish(this.wasCalledOff ? 'aborted' : 'failed', values[0]);
        break;
      case 'close':
        this.finish(this.wasCalledOff ? 'aborted' : this.stream.rstCode === 0 ? 'open' : 'failed', undefined);
        break;
    }
  }

  private responded(headers: IncomingHttpHeaders, raw: unknown): void {
    const pairs = Array.isArray(raw)
      ? headerPairs(raw.map(String)).filter(([name]) => !name.startsWith(':'))
      : plainPairs(headers);
    this.head = {
      status: Number(headers[':status']),
      statusText: '',
      url: '',
      headers: recordedHeaders(pairs),
      headersAfterUs: this.elapsedUs(),
      hasBody: true,
      httpVersion: '2.0',
    };
    this.crossing.answered();
  }

  private elapsedUs(): number {
    return microsecondsBetween(this.startedUnixNano, unixNanoNow());
  }

  private finish(end: ExchangeResponse['end'], error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.siblings.delete(this.crossing);
    const wasAborted = this.wasCalledOff;
    // The host is told of no error where its connection closes; whoever reads the recording is told.
    const told =
      error ?? (end === 'failed' ? new Error('The stream was closed before the answer had ended') : undefined);
    settleExchange(this.crossing, this.exchangeAt(end, wasAborted ? undefined : error), {
      error: told,
      wasAborted,
    });
  }

  private exchangeAt(end: ExchangeResponse['end'], error: unknown): Exchange {
    const { head } = this;
    return {
      layer: 'http',
      attempt: 0,
      startedAtUnixNano: this.startedUnixNano.toString(),
      request: this.request,
      ...(head === undefined ? {} : { response: this.responseAt(head, end) }),
      ...(error === undefined ? {} : { error: exchangeError(error) }),
    };
  }

  private responseAt(head: ResponseHead, end: ExchangeResponse['end']): ExchangeResponse {
    const { body, trailers, reader = readerOf(this.stream) } = this;
    return recordedResponse(head, { body, trailers, end, endAfterUs: this.elapsedUs(), reader });
  }
}
