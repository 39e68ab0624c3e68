import type { IncomingHttpHeaders } from 'node:http';
import { type Duplex, Readable } from 'node:stream';
import { context as contexts } from '@opentelemetry/api';
import {
  BodyTape,
  exchangeError,
  guarded,
  noteUnrecordedSocket,
  type OpenCrossing,
  recordedHeaders,
  runInContext,
} from '@reenact/instrumentation';
import {
  type ErrorClass,
  type Exchange,
  type ExchangeResponse,
  isOfKnownErrorClass,
  registerErrorClass,
  UPGRADED_MARK,
} from '@reenact/trace-model';
import type { Dispatcher } from 'undici';
import { InterimTape } from '../interim-tape.ts';
import type { SentBody } from '../message-body.ts';
import { completeRequest } from '../outbound/outbound-call.ts';
import { type ResponseHead, recordedResponse } from '../outbound/recorded-response.ts';
import { readerOf, takesAll, watchPipes, whenReadBeyond } from '../outbound/response-reader.ts';
import { exchangeView, settleExchange } from '../outbound/settle-exchange.ts';
import { platformHttp } from '../platform-http.ts';
import { ReadClock } from '../read-clock.ts';
import { recordedUrl } from '../recorded-url.ts';
import type { TakesOver } from '../websocket/upgraded-socket.ts';
import { inFrontOf, targetOf } from './body-given-by.ts';
import type { DispatchRequest } from './dispatch-request.ts';
import { OlderController } from './older-handler.ts';
import type { DispatchController } from './undici-types.ts';

type Step = (...values: never[]) => unknown;

const handlerMethods = [
  'onRequestStart',
  'onRequestUpgrade',
  'onResponseStarted',
  'onResponseStart',
  'onResponseData',
  'onResponseEnd',
  'onResponseError',
  'onBodySent',
  'onRequestSent',
] as const;

/** Header names and values are bytes to undici; each is kept as one character. */
function textOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
}

/** HTTP/1.1 headers come as a flat list, those of HTTP/2 as an object. */
function headerPairsOf(raw: unknown): [string, string][] {
  if (Array.isArray(raw)) {
    return raw.flatMap((name: unknown, index) => (index % 2 === 0 ? [[textOf(name), textOf(raw[index + 1])]] : []));
  }
  return Object.entries((raw ?? {}) as Record<string, unknown>).flatMap(([name, value]) =>
    [value].flat().map((item): [string, string] => [name, textOf(item)]),
  );
}

/** A WebSocket tells of its error as a cause at most, as `fetch` does: whose class it has is in nobody's way. */
function knowClassOf(error: unknown): void {
  if (error instanceof Error && !isOfKnownErrorClass(error))
    registerErrorClass(error.constructor as ErrorClass, 'node');
}

/** Records one request of a dispatcher under its crossing, at the `http` layer: a body as it came over the wire. */
export class RecordedDispatch {
  private readonly request: DispatchRequest;
  private readonly crossing: OpenCrossing;
  private readonly clock = new ReadClock();
  private readonly body = new BodyTape();
  private readonly interim: InterimTape;
  private head: ResponseHead | undefined;
  private trailers: [string, string][] = [];
  private controller: DispatchController | undefined;
  /** What the handler hands the body to. */
  private target: unknown;
  private hasEnded = false;
  private readonly takesOver: TakesOver;

  /** @param takesOver is given a connection that became a WebSocket. */
  constructor(request: DispatchRequest, crossing: OpenCrossing, takesOver: TakesOver) {
    this.request = request;
    this.crossing = crossing;
    this.takesOver = takesOver;
    this.interim = new InterimTape(crossing);
    crossing.exchanging(
      () => (this.head === undefined || this.hasEnded ? undefined : this.exchangeAt('open', undefined)),
      exchangeView,
      (told) => this.target instanceof Readable && whenReadBeyond(this.target, told),
    );
  }

  /** What was sent, where it is known only now. */
  complete(sent: SentBody): void {
    completeRequest(this.crossing, this.request, sent);
  }

  /** The handler to dispatch with: it is told first, then the given one, which decides what happens. */
  handler(given: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
    const seen = this.steps();
    // Else what the handler does next, such as sending a retry, would count as a part of this request.
    const around = contexts.active();
    const made: Record<string, Step> = {};
    for (const name of handlerMethods) {
      const method: unknown = Reflect.get(given, name);
      const step = seen[name];
      // Undici looks at what is there, and says what is wrong with a handler.
      if (typeof method !== 'function') continue;
      made[name] = (...values) => {
        if (step !== undefined) guarded('recording a request', () => step(...values), undefined);
        const result = runInContext(around, () => Reflect.apply(method, given, values) as unknown);
        if (name === 'onResponseStart') guarded('recording a request', () => this.handedTo(targetOf(given)), undefined);
        return result;
      };
    }
    return inFrontOf(made, given);
  }

  private steps(): Partial<Record<(typeof handlerMethods)[number], Step>> {
    return {
      onRequestUpgrade: (controller: DispatchController | null, status: number, headers: unknown, socket: Duplex) =>
        this.upgraded(controller?.rawHeaders ?? headers, status, socket),
      onResponseStart: (controller: DispatchController, status: number, headers: unknown, text?: string) =>
        this.responded(controller, status, headers, text),
      onResponseData: (_controller: DispatchController, chunk: Uint8Array) =>
        this.body.keep(chunk, this.clock.readAtUs),
      onResponseEnd: (controller: DispatchController | null, trailers: unknown) => {
        this.trailers = headerPairsOf(controller?.rawTrailers ?? trailers);
        this.finish('complete', undefined);
      },
      onResponseError: (controller: DispatchController | null, error: unknown) => {
        if (this.request.isUpgrade) knowClassOf(error);
        this.finish(controller?.aborted === true ? 'aborted' : 'failed', error);
      },
    };
  }

  private responded(controller: DispatchController, status: number, headers: unknown, statusText = ''): void {
    const raw = controller.rawHeaders ?? headers;
    if (status < 200) {
      this.interim.add({ status, statusText, headers: headerPairsOf(raw), afterUs: this.clock.elapsedUs });
      return;
    }
    this.controller = controller;
    this.head = this.headOf(raw, status, statusText, this.isVersionKnown(controller));
    this.crossing.answered();
  }

  private headOf(raw: unknown, status: number, statusText: string, isVersionKnown: boolean): ResponseHead {
    return {
      status,
      statusText,
      url: '',
      headers: recordedHeaders(headerPairsOf(raw)),
      headersAfterUs: this.clock.readAtUs,
      hasBody: true,
      ...(isVersionKnown ? { httpVersion: Array.isArray(raw) ? '1.1' : '2.0' } : {}),
    };
  }

  private upgraded(raw: unknown, statusCode: number, socket: Duplex): void {
    const pairs = headerPairsOf(raw).map(([name, value]) => [name.toLowerCase(), value]);
    const response = { statusCode, headers: Object.fromEntries(pairs) as IncomingHttpHeaders };
    const isHeadBuffered = socket.readableLength > 0;
    if (!this.takesOver({ response, socket, head: undefined, isHeadBuffered, isDeafOnceClosed: true })) {
      this.crossing.markLossy(UPGRADED_MARK);
      this.finish('open', undefined);
      noteUnrecordedSocket(socket, this.request.url.host);
      return;
    }
    this.head = this.headOf(raw, statusCode, platformHttp.STATUS_CODES[statusCode] ?? '', true);
    this.finish('complete', undefined);
  }

  /** HTTP/2 is agreed on over TLS alone. */
  private isVersionKnown(controller: DispatchController): boolean {
    return !(controller instanceof OlderController) || this.request.url.protocol === 'http:';
  }

  private finish(end: ExchangeResponse['end'], error: unknown): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    const wasAborted = end === 'aborted';
    settleExchange(this.crossing, this.exchangeAt(end, wasAborted ? undefined : error), {
      error,
      wasAborted,
    });
  }

  private exchangeAt(end: ExchangeResponse['end'], error: unknown): Exchange {
    const { head } = this;
    const { method, url, headers } = this.request;
    return {
      layer: 'http',
      attempt: 0,
      startedAtUnixNano: this.clock.startedUnixNano.toString(),
      request: { method, url: recordedUrl(url), headers: recordedHeaders(headers) },
      ...this.interim.member,
      ...(head === undefined ? {} : { response: this.responseAt(head, end) }),
      ...(error === undefined ? {} : { error: exchangeError(error) }),
    };
  }

  private handedTo(target: unknown): void {
    if (target === this.target) return;
    this.target = target;
    if (target instanceof Readable) watchPipes(target);
  }

  private readerAt(end: ExchangeResponse['end']): NonNullable<ExchangeResponse['reader']> {
    const { target } = this;
    if (takesAll(target)) return 'waiting';
    if (this.controller?.paused === true) return 'satisfied';
    // Once it is called off, the body that it gave says nothing any more.
    return end === 'open' && target instanceof Readable ? readerOf(target) : 'waiting';
  }

  private responseAt(head: ResponseHead, end: ExchangeResponse['end']): ExchangeResponse {
    const { body, trailers } = this;
    return recordedResponse(head, {
      body,
      trailers,
      end,
      endAfterUs: this.clock.elapsedUs,
      reader: this.readerAt(end),
    });
  }
}
