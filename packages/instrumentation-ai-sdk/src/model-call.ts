import { AsyncLocalStorage } from 'node:async_hooks';
import {
  definedAttributes,
  FetchExchangeRecorder,
  type FetchOwner,
  guarded,
  membersOf,
  type OpenCrossing,
  type OwnedRequest,
  runInContext,
  type ServedAttempts,
  StreamTape,
  withFetchOwner,
} from '@reenact/instrumentation';
import { ATTR_HTTP_RESPONSE_STATUS_CODE, ATTR_SERVER_ADDRESS, ATTR_SERVER_PORT } from '@reenact/semconv/core';
import { ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK } from '@reenact/semconv/gen-ai';
import { type Exchange, ReenactError, urlPlace } from '@reenact/trace-model';
import { AnswerParts } from './answer-parts.ts';
import type { ModelRequest } from './internal-types.ts';
import { answerView } from './response-view.ts';
import { tappedParts } from './tapped-parts.ts';

/** What one call of a model is made of. */
export interface ModelCallParts {
  readonly request: ModelRequest;
  readonly crossing: OpenCrossing;
  /** Present in a replay: answers the requests of the provider. */
  readonly served: ServedAttempts | undefined;
}

const servedCalls = new AsyncLocalStorage<true>();

/** Whether the code that runs now belongs to a call that a replay answers, so that it needs no key. */
export function isInServedCall(): boolean {
  return servedCalls.getStore() === true;
}

/**
 * One call of a model's method and its crossing. Where the provider sends its requests by the global `fetch`, their exchanges
 * are the outcome; otherwise what the method gave is. Settles the crossing once; nothing it does reaches the host.
 */
export class ModelCall implements FetchOwner {
  private readonly parts: ModelCallParts;
  private readonly recorders: FetchExchangeRecorder[] = [];
  private firstPartAfterUs: number | undefined;
  private last: { readonly exchange: Exchange; readonly error: unknown } | undefined;
  /** What its requests failed with. */
  private readonly wireErrors = new Set<unknown>();

  constructor(parts: ModelCallParts) {
    this.parts = parts;
  }

  private get hasExchanges(): boolean {
    return this.recorders.length > 0;
  }

  private get signal(): AbortSignal | undefined {
    return this.parts.request.options.abortSignal;
  }

  /** Runs one request of the provider: over the wire, or over what was recorded of it. */
  fetch(request: OwnedRequest, send: () => Promise<Response>): Promise<Response> {
    const { served } = this.parts;
    const recorder = guarded('recording a request of a model', () => this.startRecorder(request), undefined);
    const sent = served === undefined ? send() : served.next(request);
    return recorder === undefined ? sent : recorder.watch(sent);
  }

  private startRecorder(request: OwnedRequest): FetchExchangeRecorder {
    const { crossing } = this.parts;
    if (!this.hasExchanges) guarded('describing a server', () => this.describeServer(request), undefined);
    const recorder = new FetchExchangeRecorder(
      { ...request, attempt: this.recorders.length, inputText: undefined },
      (exchange, error) => {
        this.last = { exchange, error };
        this.wireErrors.add(error);
        crossing.addExchange(exchange);
        const status = exchange.response?.status;
        crossing.describe({ slim: definedAttributes({ [ATTR_HTTP_RESPONSE_STATUS_CODE]: status }) });
      },
    );
    this.recorders.push(recorder);
    crossing.answersAs('exchange');
    crossing.exchanging(() => recorder.underWay, undefined, recorder.onceReadOn);
    return recorder;
  }

  private describeServer({ url }: OwnedRequest): void {
    const { host, port } = urlPlace(new URL(url));
    this.parts.crossing.describe({
      slim: definedAttributes({
        [ATTR_SERVER_ADDRESS]: host,
        [ATTR_SERVER_PORT]: port,
      }),
    });
  }

  /** Calls the model's method. Resolves and rejects as it does, save for a replay's own errors. */
  run(call: () => unknown): Promise<unknown> {
    // No async function, which would be a line in the stacks of what the model throws, in the place of one of the host's.
    const answered = new Promise<unknown>((resolve) => resolve(this.answer(call)));
    return answered.then(
      (result) => guarded('watching the answer of a model', () => this.watch(result), result),
      (error: unknown) => {
        guarded('settling a failed call of a model', () => this.threw(error), undefined);
        throw error;
      },
    );
  }

  private answer(call: () => unknown): unknown {
    const { served } = this.parts;
    if (served === undefined) return this.within(call);
    const answered = servedCalls.run(true, () => this.within(async () => call()));
    return Promise.race([answered.then((value) => this.onlyServed(value)), served.failure]);
  }

  /** An answer that no recorded exchange gave came from elsewhere: a transport that is not covered. */
  private onlyServed(value: unknown): unknown {
    const { served } = this.parts;
    if (served === undefined || served.count > 0) return value;
    served.exhaust('The provider answered without a request by the global fetch, as it made when it was recorded.');
    return served.failure;
  }

  private within<Result>(act: () => Result): Result {
    return runInContext(withFetchOwner(this.parts.crossing.context, this), act);
  }

  private threw(error: unknown): void {
    for (const recorder of this.recorders) recorder.abandon();
    const { crossing } = this.parts;
    if (!this.hasExchanges) crossing.answersAs('promise');
    // A replay's own refusal is no abort, whatever the signal says by now.
    const isAbort = this.signal?.aborted === true && !(error instanceof ReenactError);
    const isMadeAgain = this.isMadeOfExchanges(error);
    crossing.settle(isAbort ? { type: 'aborted', chunks: [], error } : { type: 'threw', error, isMadeAgain });
  }

  /** What failed on the wire is thrown again as it is recorded; all else the provider makes itself, of a class that may be known to nobody here. */
  private isMadeOfExchanges(error: unknown): boolean {
    return this.hasExchanges && !this.wireErrors.has(error);
  }

  private watch(result: unknown): unknown {
    const { crossing, request } = this.parts;
    const { stream } = membersOf(result);
    if (!this.hasExchanges) crossing.answersAs('promise');
    if (request.method === 'doStream' && stream instanceof ReadableStream) return this.watchStream(result, stream);
    // A body that the provider never read is kept as far as it came.
    for (const recorder of this.recorders) recorder.abandon();
    guarded('describing an answer', () => crossing.describe(answerView(result)), undefined);
    crossing.settle({ type: 'returned', value: this.hasExchanges ? undefined : result });
    return result;
  }

  /** Parts are kept only where no exchange holds the bytes they were made from. */
  private watchStream(result: unknown, stream: ReadableStream<unknown>): unknown {
    const { crossing } = this.parts;
    const tape = this.hasExchanges ? undefined : new StreamTape(crossing);
    const { stream: _, ...head } = membersOf(result);
    // What came with the stream is its first chunk, without the stream.
    tape?.chunk(head);
    const answer = new AnswerParts();
    const tapped = tappedParts(
      stream,
      {
        part: (value) => {
          this.firstPartAfterUs ??= crossing.elapsedUs();
          tape?.chunk(value);
          guarded('reading a part', () => answer.add(value), undefined);
        },
        ended: () => this.streamOver(answer, () => (tape ? tape.ended(undefined) : this.settleExchanges('ended'))),
        failed: (error) => this.streamFailed(answer, tape, error),
        cancelled: () => this.streamOver(answer, () => (tape ? tape.aborted() : this.settleExchanges('aborted'))),
        dropped: () => this.streamOver(answer, () => crossing.abandon()),
      },
      (act) => this.within(act),
    );
    return { ...membersOf(result), stream: tapped };
  }

  private streamFailed(answer: AnswerParts, tape: StreamTape | undefined, error: unknown): void {
    const isAbort = this.signal?.aborted === true;
    this.streamOver(answer, () => {
      if (tape === undefined) this.settleExchanges(isAbort ? 'aborted' : 'failed', error);
      else if (isAbort) tape.aborted();
      else tape.failed(error);
    });
  }

  /** A provider may end its parts in good order where its response was cut: the exchange knows better. */
  private settleExchanges(type: 'ended' | 'failed' | 'aborted', error?: unknown): void {
    const { crossing } = this.parts;
    const end = this.last?.exchange.response?.end;
    const isCut = type === 'ended' && (end === 'aborted' || end === 'failed');
    const kept = error ?? (isCut ? this.last?.error : undefined);
    const failure = kept === undefined ? {} : { error: kept, isMadeAgain: this.isMadeOfExchanges(kept) };
    crossing.settle({ type: isCut ? end : type, chunks: [], ...failure });
  }

  private streamOver(answer: AnswerParts, settle: () => void): void {
    for (const recorder of this.recorders) recorder.abandon();
    guarded('describing an answer', () => this.describeStream(answer), undefined);
    guarded('settling a stream', settle, undefined);
  }

  private describeStream(answer: AnswerParts): void {
    const { crossing } = this.parts;
    crossing.describe(answerView(answer.result));
    const firstUs = this.firstPartAfterUs;
    crossing.describe({
      slim: definedAttributes({
        [ATTR_GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK]: firstUs === undefined ? undefined : firstUs / 1_000_000,
      }),
    });
  }
}
