import { types } from 'node:util';
import {
  BodyTape,
  bytesOfPart,
  FetchExchangeRecorder,
  guarded,
  type OpenCrossing,
  runInContext,
  withOwnedWire,
} from '@reenact/instrumentation';
import { REQUEST_BODY_BYTES_MAX } from '../limits.ts';
import { bodyOfTape, type MessageBody, type SentBody } from '../message-body.ts';
import { completeRequest } from '../outbound/outbound-call.ts';
import { exchangeView, settleExchange } from '../outbound/settle-exchange.ts';
import { recordedUrl } from '../recorded-url.ts';
import type { FetchParameters, FetchRequest } from './fetch-arguments.ts';
import type { FetchBody } from './fetch-body.ts';
import { watchStream } from './outgoing-stream.ts';
import { sentWith } from './sent-with.ts';

/** Records one `fetch` under its crossing: the exchange, and what of the request is known only while it is sent. */
export class RecordedFetch {
  private readonly crossing: OpenCrossing;
  private readonly request: FetchRequest;
  private readonly recorder: FetchExchangeRecorder;

  constructor(crossing: OpenCrossing, request: FetchRequest) {
    this.crossing = crossing;
    this.request = request;
    const { method, url, headers, signal } = request;
    this.recorder = new FetchExchangeRecorder(
      // The body is the input's: kept there, once.
      { attempt: 0, method, url: recordedUrl(url), headers, body: undefined, inputText: undefined, signal },
      (exchange, error) => settleExchange(crossing, exchange, { error, wasAborted: signal?.aborted === true }),
    );
    crossing.exchanging(() => this.recorder.underWay, exchangeView, this.recorder.onceReadOn);
  }

  /** The parameters to call on with; the body is watched from here on. Never throws. */
  watched(): FetchParameters {
    const { parameters, body } = this.request;
    if (body.type !== 'known') this.crossing.awaitsInput();
    switch (body.type) {
      case 'known':
        return parameters;
      case 'readable':
        this.completeWith(body.read());
        return parameters;
      case 'request':
        this.completeWith(guarded('reading a request', () => readClone(body.request.clone()), undefined));
        return parameters;
      case 'streamed':
        return guarded('watching a sent stream', () => this.watchedStream(body), parameters);
    }
  }

  private watchedStream({ stream: given, request }: Extract<FetchBody, { type: 'streamed' }>): FetchParameters {
    // As the platform takes the body of a request that it is called with: it counts as read at once.
    const source = request?.body?.pipeThrough(new TransformStream<unknown, unknown>()) ?? given;
    return sentWith(
      this.request.parameters,
      watchStream(source, (sent) => this.complete(sent)),
    );
  }

  private complete(sent: SentBody): void {
    completeRequest(this.crossing, this.request, sent);
  }

  private completeWith(reading: Promise<MessageBody> | undefined): void {
    reading?.then((body) => this.complete({ body })).catch(() => this.crossing.markLossy('/input/body unreadable'));
  }

  /** Sends with `send` and watches what comes back. Settles as `send` does. */
  send(send: () => Promise<Response>): Promise<Response> {
    const { crossing, recorder } = this;
    let sent: unknown;
    try {
      sent = runInContext(withOwnedWire(crossing.context), send);
    } catch (error) {
      recorder.failed(error);
      throw error;
    }
    if (!types.isPromise(sent)) {
      recorder.abandon();
      return sent as Promise<Response>;
    }
    return (sent as Promise<Response>).then(
      (response: Response) => {
        const given = recorder.responded(response);
        crossing.answered();
        return given;
      },
      (error: unknown) => {
        recorder.failed(error);
        throw error;
      },
    );
  }
}

/** Reads a copy of a request's body up to what is kept, so that a long one is not held in memory twice. */
async function readClone(copy: Request): Promise<MessageBody> {
  const tape = new BodyTape(REQUEST_BODY_BYTES_MAX);
  for await (const part of copy.body ?? []) tape.keep(bytesOfPart(part), 0);
  return bodyOfTape(tape);
}
