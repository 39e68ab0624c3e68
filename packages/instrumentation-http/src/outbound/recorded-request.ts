import type { ClientRequest, IncomingMessage, InformationEvent } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  BodyTape,
  exchangeError,
  guarded,
  noteUnrecordedSocket,
  type OpenCrossing,
  recordedHeaders,
} from '@reenact/instrumentation';
import { type Exchange, type ExchangeResponse, UPGRADED_MARK } from '@reenact/trace-model';
import { headerPairs } from '../header-pairs.ts';
import { tapIncomingBody } from '../incoming-body-tap.ts';
import { patchInstance } from '../instance-patch.ts';
import { InterimTape } from '../interim-tape.ts';
import { ReadClock } from '../read-clock.ts';
import type { TakesOver } from '../websocket/upgraded-socket.ts';
import { type ResponseHead, recordedResponse } from './recorded-response.ts';
import { asksToContinue } from './request-parameters.ts';
import { readerOf, watchPipes, whenReadBeyond } from './response-reader.ts';
import { exchangeView, settleExchange } from './settle-exchange.ts';

/**
 * Records one `node:http` request under its crossing, at the `http` layer: bytes as on the wire. It watches and adds no
 * listener, because a listener for `error` or `response` would change what the request does.
 */
export class RecordedRequest {
  private readonly request: ClientRequest;
  private readonly crossing: OpenCrossing;
  private readonly describe: () => Exchange['request'];
  private readonly clock = new ReadClock();
  private readonly body = new BodyTape();
  private readonly interim: InterimTape;
  private response: IncomingMessage | undefined;
  private head: ResponseHead | undefined;
  private wasCalledOff = false;
  private hasEnded = false;
  private readonly takesOver: TakesOver | undefined;

  constructor(
    request: ClientRequest,
    crossing: OpenCrossing,
    describe: () => Exchange['request'],
    takesOver?: TakesOver,
  ) {
    this.request = request;
    this.crossing = crossing;
    this.describe = describe;
    this.takesOver = takesOver;
    this.interim = new InterimTape(crossing);
    crossing.exchanging(
      () => (this.head === undefined ? undefined : this.exchangeAt('open', undefined)),
      exchangeView,
      (told) => this.response !== undefined && whenReadBeyond(this.response, told),
    );
    this.watchEvents();
    this.watchDestroy(request, () => true);
  }

  private watchEvents(): void {
    const seen = (event: string | symbol, values: readonly unknown[]): void =>
      guarded('recording a request', () => this.saw(event, values), undefined);
    patchInstance(this.request, 'emit', (emit) => {
      return function emitWatched(this: ClientRequest, event: string | symbol, ...values: unknown[]): boolean {
        seen(event, values);
        return Reflect.apply(emit, this, [event, ...values]) as boolean;
      } as ClientRequest['emit'];
    });
  }

  /** Notes who ended it: the host does so by `destroy`, and the wire by closing the socket first. */
  private watchDestroy(target: ClientRequest | IncomingMessage, isByHost: () => boolean): void {
    const seen = (error: unknown): void =>
      guarded('recording a destroyed request', () => this.destroyed(isByHost(), error), undefined);
    patchInstance(target as IncomingMessage, 'destroy', (destroy) => {
      return function destroyWatched(this: IncomingMessage, error?: Error): IncomingMessage {
        seen(error);
        return destroy.call(this, error);
      };
    });
  }

  private destroyed(isByHost: boolean, error: unknown): void {
    if (isByHost) this.wasCalledOff = true;
    if (this.head === undefined || this.response?.complete === true) return;
    if (isByHost) this.finish('aborted', undefined, error);
    else this.finish('failed', undefined, error);
  }

  private saw(event: string | symbol, values: readonly unknown[]): void {
    const [value] = values;
    switch (event) {
      case 'response':
        this.responded(value as IncomingMessage);
        break;
      case 'information':
        this.informed(value as InformationEvent);
        break;
      case 'upgrade':
        this.upgraded(values as [IncomingMessage, Duplex, unknown]);
        break;
      case 'connect':
        this.crossing.markLossy(UPGRADED_MARK);
        this.finish('open', undefined, undefined);
        break;
      case 'error':
        this.failed(value);
        break;
      case 'close':
        this.finish(this.wasCalledOff ? 'aborted' : 'failed', undefined, undefined);
        break;
    }
  }

  private upgraded([response, socket, head]: [IncomingMessage, Duplex, unknown]): void {
    if (this.takesOver?.({ response, socket, head }) !== true) {
      this.crossing.markLossy(UPGRADED_MARK);
      this.finish('open', undefined, undefined);
      noteUnrecordedSocket(socket, String(this.request.getHeader('host') ?? this.request.host));
      return;
    }
    this.head = this.headOf(response);
    this.finish('complete', undefined, undefined);
  }

  private informed({ statusCode, statusMessage, rawHeaders }: InformationEvent): void {
    // A replay gives the go-ahead by itself to whoever asks for it.
    if (statusCode === 100 && asksToContinue(this.request)) return;
    const headers = headerPairs(rawHeaders);
    this.interim.add({ status: statusCode, statusText: statusMessage, headers, afterUs: this.clock.elapsedUs });
  }

  private responded(response: IncomingMessage): void {
    this.response = response;
    this.head = this.headOf(response);
    tapIncomingBody(response, {
      chunk: (bytes) => this.body.keep(bytes, this.clock.readAtUs),
      ended: () => this.bodyEnded(response),
    });
    watchPipes(response);
    this.watchDestroy(response, () => this.request.socket?.destroyed !== true);
    this.crossing.answered();
  }

  private headOf(response: IncomingMessage): ResponseHead {
    return {
      status: response.statusCode ?? 0,
      statusText: response.statusMessage ?? '',
      url: '',
      headers: recordedHeaders(headerPairs(response.rawHeaders)),
      headersAfterUs: this.clock.readAtUs,
      hasBody: true,
      httpVersion: response.httpVersion,
    };
  }

  private bodyEnded(response: IncomingMessage): void {
    if (!response.complete) return;
    // Nobody listened for the response, so Node threw its body away unseen.
    const isUnseen = Reflect.get(response, '_dumped') === true;
    this.finish(isUnseen ? 'open' : 'complete', undefined, undefined);
  }

  private failed(error: unknown): void {
    if (this.head !== undefined && this.response?.complete === true) return;
    this.finish(this.wasCalledOff ? 'aborted' : 'failed', this.wasCalledOff ? undefined : error, error);
  }

  /** `wireError`: what the request emitted; a response that only stopped has none. */
  private finish(end: ExchangeResponse['end'], wireError: unknown, error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    settleExchange(this.crossing, this.exchangeAt(end, wireError), {
      error,
      wasAborted: this.wasCalledOff,
    });
  }

  private exchangeAt(end: ExchangeResponse['end'], error: unknown): Exchange {
    const { head } = this;
    return {
      layer: 'http',
      attempt: 0,
      startedAtUnixNano: this.clock.startedUnixNano.toString(),
      request: this.requestNow(),
      ...this.interim.member,
      ...(head === undefined ? {} : { response: this.responseAt(head, end) }),
      ...(error === undefined ? {} : { error: exchangeError(error) }),
    };
  }

  private requestNow(): Exchange['request'] {
    const { head, request } = this;
    return {
      ...this.describe(),
      ...(head === undefined && !request.writableFinished ? { unsent: true } : {}),
      ...(request.reusedSocket ? { reused: true } : {}),
    };
  }

  private responseAt(head: ResponseHead, end: ExchangeResponse['end']): ExchangeResponse {
    const trailers = headerPairs(this.response?.rawTrailers ?? []);
    const reader = this.response === undefined ? undefined : readerOf(this.response);
    return recordedResponse(head, { body: this.body, trailers, end, endAfterUs: this.clock.elapsedUs, reader });
  }
}
