import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { context as contexts } from '@opentelemetry/api';
import { BodyTape, definedAttributes, givenCookies, guarded, type OpenCrossing } from '@reenact/instrumentation';
import { ATTR_ERROR_TYPE, ATTR_HTTP_RESPONSE_STATUS_CODE } from '@reenact/semconv/core';
import { ATTR_REENACT_COOKIES_GIVEN } from '@reenact/semconv/reenact';
import { patchInstance } from '../instance-patch.ts';
import { ANSWER_BODY_BYTES_MAX } from '../limits.ts';
import { tapOutgoingBody } from '../outgoing-body-tap.ts';
import { type AnswerValue, answerValue } from './answer-value.ts';
import { InterimAnswers, plainHeaders } from './interim-answers.ts';
import { resetName } from './reset-name.ts';

type Callback = (...values: never[]) => unknown;
type Watched =
  | 'additionalHeaders'
  | 'respond'
  | 'respondWithFD'
  | 'respondWithFile'
  | 'sendTrailers'
  | 'close'
  | 'destroy'
  | 'emit';

function isHead(stream: ServerHttp2Stream): boolean {
  return Reflect.get(stream, 'headRequest') === true;
}

/** How the writing of one stream ended: the host wrote all of it, the host broke it off, or nobody is left to read it. */
type StreamEnd = 'written' | 'reset' | 'abandoned';

/** Watches what a host writes to one stream. It adds no listener and takes nothing away. */
class WrittenStream {
  readonly stream: ServerHttp2Stream;
  /** Of what was asked for, or would have been. */
  readonly url: string;
  /** Told once. */
  private readonly ended: (end: StreamEnd) => void;
  private readonly tape = new BodyTape(ANSWER_BODY_BYTES_MAX);
  private readonly interim = new InterimAnswers();
  private waitsForTrailers = false;
  private wasEnded = false;
  private wasBrokenOff = false;
  private isDone = false;
  /** Whether the body was sent by the system, out of a file. */
  isFile = false;

  constructor(stream: ServerHttp2Stream, url: string, ended: (end: StreamEnd) => void) {
    this.stream = stream;
    this.url = url;
    this.ended = ended;
    this.wasEnded = stream.writableEnded && !isHead(stream);
  }

  watch(): void {
    const { stream, tape } = this;
    tapOutgoingBody(stream, { chunk: (bytes) => tape.keep(bytes, 0), ended: () => this.wroteAll() });
    this.before('additionalHeaders', (headers) => {
      const said = headers as OutgoingHttpHeaders;
      this.interim.add(Number(said[':status']), said);
    });
    this.before('respond', (_headers, options) => this.responds(options));
    for (const key of ['respondWithFD', 'respondWithFile'] as const) {
      this.before(key, (_file, _headers, options) => {
        this.isFile = true;
        this.responds(options);
      });
    }
    this.after('respond', () => {
      // A HEAD request is ended before it is answered, and so is never seen to end.
      if (isHead(stream)) this.wroteAll();
    });
    this.after('sendTrailers', () => this.finish('written'));
    for (const key of ['close', 'destroy'] as const) this.before(key, () => this.isBrokenOff());
    this.before('emit', (event) => {
      if (event === 'close') this.closed();
    });
  }

  /** What was written, as it is compared. */
  get answer(): AnswerValue {
    const { status, tape, url } = this;
    const { sentHeaders, sentTrailers } = this.stream;
    const headers = new Map(Object.entries(this.hasAnswered ? plainHeaders(sentHeaders) : {}));
    const trailers = sentTrailers === undefined ? {} : plainHeaders(sentTrailers);
    const { value, ...facts } = answerValue({ status, headers, tape, url });
    const around = Object.keys(trailers).length === 0 ? {} : { trailers };
    return { value: { ...this.interim.value, ...value, ...around }, ...facts };
  }

  /** As they were set. */
  get cookies(): string[] {
    return this.hasAnswered ? [this.stream.sentHeaders['set-cookie'] ?? []].flat() : [];
  }

  /** Undefined where no headers were written. */
  get status(): number | undefined {
    return this.hasAnswered ? Number(this.stream.sentHeaders[':status']) : undefined;
  }

  /** Before, the headers of a pushed stream are those of its request. */
  private get hasAnswered(): boolean {
    return this.stream.headersSent;
  }

  private responds(options: unknown): void {
    if (typeof options === 'object' && options !== null) {
      this.waitsForTrailers = Reflect.get(options, 'waitForTrailers') === true;
    }
  }

  private wroteAll(): void {
    // Node itself ends what is closed before it was written.
    if (this.stream.aborted) return;
    this.wasEnded = true;
    if (!this.waitsForTrailers && !this.isFile) this.finish('written');
  }

  /** The wire closes a stream before it is destroyed, or its connection is gone; where neither is so, the host breaks it off. */
  private isBrokenOff(): void {
    const { closed, session } = this.stream;
    const isConnected = session?.destroyed === false && !session.socket.destroyed;
    if (!closed && isConnected) this.wasBrokenOff = true;
  }

  private closed(): void {
    const isWhole = this.isFile ? this.stream.rstCode === 0 : this.wasEnded;
    this.finish(isWhole ? 'written' : this.wasBrokenOff ? 'reset' : 'abandoned');
  }

  private finish(end: StreamEnd): void {
    if (this.isDone) return;
    this.isDone = true;
    this.ended(end);
  }

  private before(key: Watched, seen: (...values: unknown[]) => void): void {
    this.around(key, (values, proceed) => {
      guarded('recording an answer', () => seen(...values), undefined);
      return proceed();
    });
  }

  private after(key: Watched, seen: () => void): void {
    this.around(key, (_values, proceed) => {
      const result = proceed();
      guarded('recording an answer', seen, undefined);
      return result;
    });
  }

  private around(key: Watched, act: (values: unknown[], proceed: () => unknown) => unknown): void {
    patchInstance(this.stream as object as Record<string, Callback>, key, (original) => {
      return function watched(this: unknown, ...values: unknown[]): unknown {
        return act(values, () => Reflect.apply(original, this, values));
      } as Callback;
    });
  }
}

const untoldAnswer: Omit<AnswerValue, 'value'> & { readonly value: unknown } = {
  value: undefined,
  redacted: [],
  lossy: [],
};

/** What is said of how the writing ended, where not all was written. */
function endOf({ stream }: WrittenStream, end: StreamEnd): object {
  switch (end) {
    case 'written':
      return {};
    case 'reset':
      return { reset: resetName(stream.rstCode) };
    case 'abandoned':
      return { isAbandoned: true };
  }
}

type PushStream = (headers: OutgoingHttpHeaders, ...rest: unknown[]) => void;

/**
 * Watches how a request that came by HTTP/2 is answered and ends its run: with status, headers, body, trailers and whatever was pushed
 * with it; with the code of the reset where the host breaks it off; as aborted where nobody is left.
 */
export class StreamAnswer {
  private readonly crossing: OpenCrossing;
  private readonly written: WrittenStream;
  private readonly pushed: AnswerValue[] = [];
  private open = 1;
  private end: StreamEnd = 'abandoned';
  private readonly abandoned: () => void;

  /** `url`: of the request. `abandoned` is called before the run ends as aborted. */
  constructor(stream: ServerHttp2Stream, url: string, crossing: OpenCrossing, abandoned: () => void) {
    this.crossing = crossing;
    this.abandoned = abandoned;
    this.written = new WrittenStream(stream, url, (end) => {
      this.end = end;
      this.oneEnded();
    });
  }

  /** Starts to watch. */
  watch(): void {
    this.written.watch();
    this.watchPushes();
  }

  private watchPushes(): void {
    const { stream } = this.written;
    patchInstance(stream as unknown as { pushStream: PushStream }, 'pushStream', (pushStream) => {
      const watched = (callback: unknown): unknown =>
        typeof callback === 'function' ? this.watching(callback as Callback) : callback;
      return function pushWatched(this: unknown, headers: OutgoingHttpHeaders, ...rest: unknown[]): void {
        const given = guarded('watching a push', () => rest.map(watched), rest);
        Reflect.apply(pushStream, this, [headers, ...given]);
      };
    });
  }

  /** The callback of one push, told of a stream that is watched. */
  private watching(callback: Callback): (...given: unknown[]) => unknown {
    const watch = (stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void => this.watchPush(stream, headers);
    return function pushed(this: unknown, ...given: unknown[]): unknown {
      const [error, stream, headers] = given;
      if (error === null || error === undefined) {
        guarded(
          'recording a push',
          () => watch(stream as ServerHttp2Stream, headers as OutgoingHttpHeaders),
          undefined,
        );
      }
      return Reflect.apply(callback, this, given);
    };
  }

  private watchPush(stream: ServerHttp2Stream, headers: OutgoingHttpHeaders): void {
    const url = String(headers[':path'] ?? '/');
    let place: number | undefined;
    const untold = { value: { url }, redacted: [], lossy: [] };
    const written = new WrittenStream(stream, url, (end) => {
      if (place === undefined) return;
      this.pushed[place] = guarded('reading a push', () => this.answerOf(written, end, { url }), untold);
      this.oneEnded();
    });
    written.watch();
    contexts.bind(this.crossing.context, stream);
    // Only now, or the run would wait for one whose end nobody tells.
    place = this.pushed.push(untold) - 1;
    this.open += 1;
  }

  private oneEnded(): void {
    this.open -= 1;
    if (this.open > 0) return;
    guarded('recording an answer', () => this.describe(), undefined);
    if (this.end === 'abandoned') {
      this.abandoned();
      this.crossing.settle({ type: 'aborted', chunks: [] });
      return;
    }
    const { value, redacted, lossy } = guarded('reading an answer', () => this.answer, untoldAnswer);
    for (const mark of lossy) this.crossing.markLossy(mark);
    this.crossing.settle({ type: 'returned', value, redacted });
  }

  private get answer(): AnswerValue {
    const { pushed } = this;
    const own = this.answerOf(this.written, this.end);
    if (pushed.length === 0) return own;
    const inPushed = pushed.flatMap((one, index) => one.redacted.map((pointer) => `/pushed/${index}${pointer}`));
    return {
      value: { ...own.value, pushed: pushed.map((one) => one.value) },
      redacted: [...own.redacted, ...inPushed],
      lossy: [...own.lossy, ...pushed.flatMap((one) => one.lossy)],
    };
  }

  /** `before`: what is said before all else. */
  private answerOf(written: WrittenStream, end: StreamEnd, before: object = {}): AnswerValue {
    if (written.isFile) this.crossing.markLossy('/outcome/body sent by the system out of a file, not kept');
    const { value, ...facts } = written.answer;
    return { value: { ...before, ...value, ...endOf(written, end) }, ...facts };
  }

  private describe(): void {
    const { status, stream } = this.written;
    const isServerError = status !== undefined && status >= 500;
    const failure = this.end === 'reset' ? resetName(stream.rstCode) : isServerError ? String(status) : undefined;
    this.crossing.describe({
      slim: definedAttributes({ [ATTR_HTTP_RESPONSE_STATUS_CODE]: status, [ATTR_ERROR_TYPE]: failure }),
      content: { [ATTR_REENACT_COOKIES_GIVEN]: givenCookies(this.written.cookies) },
    });
  }
}
