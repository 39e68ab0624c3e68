import { type ClientHttp2Stream, constants, type ServerHttp2Stream } from 'node:http2';
import {
  type Release,
  readBeyond,
  type StubAdmission,
  servableExchange,
  startedAfterUs,
  thrownOf,
} from '@reenact/instrumentation';
import { chunkBytes, type Exchange, type ExchangeResponse } from '@reenact/trace-model';
import { patchInstance } from '../instance-patch.ts';
import { heldRelease, takenResponse } from '../outbound/held-export.ts';
import { whenReadBeyond } from '../outbound/response-reader.ts';
import { turn } from '../turn.ts';
import type { ReplaySession } from './replay-session.ts';
import { headersOfPairs } from './session-origin.ts';

/** The code of a reset by the server, of which Node.js makes the error itself: its message names it, and no member. */
function resetCode(thrown: Error | undefined): number | undefined {
  if (thrown === undefined || Reflect.get(thrown, 'code') !== 'ERR_HTTP2_STREAM_ERROR') return undefined;
  const name = / (NGHTTP2_[A-Z_]+)$/.exec(thrown.message)?.[1];
  const code: unknown = name === undefined ? undefined : Reflect.get(constants, name);
  return typeof code === 'number' ? code : undefined;
}

/**
 * Fails a request with its recorded error. A connection that could not be made fails its session, too; of one that closed
 * while a request went on Node.js says no error.
 */
function failAsRecorded(stream: ClientHttp2Stream, { error }: Pick<Exchange, 'error'>): void {
  const thrown = error === undefined ? undefined : (thrownOf(error) as Error);
  if (thrown === undefined) {
    stream.close(constants.NGHTTP2_CANCEL);
    return;
  }
  const code = resetCode(thrown);
  // A far end that resets what it has begun to answer ends it first, and a stream that is destroyed says another code.
  if (code !== undefined) Object.defineProperty(stream, 'rstCode', { value: code, configurable: true });
  const isSessionGone = Reflect.get(thrown, 'code') === 'ERR_HTTP2_STREAM_CANCEL';
  const { session } = stream;
  stream.destroy(thrown);
  if (isSessionGone && thrown.cause instanceof Error) session?.destroy(thrown.cause);
}

function respond(far: ServerHttp2Stream, { status, headers, trailers }: ExchangeResponse): void {
  const hasTrailers = trailers !== undefined && trailers.length > 0;
  if (hasTrailers) far.once('wantTrailers', () => far.sendTrailers(headersOfPairs(trailers)));
  const options = { sendDate: false, waitForTrailers: hasTrailers };
  far.respond({ ':status': status, ...headersOfPairs(headers) }, options);
}

/** What has come through to the host's end: frames that are sent together would be told as one, or in another order. */
class Arrivals {
  private readonly stream: ClientHttp2Stream;
  private hasResponse = false;
  private bytes = 0;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    patchInstance(stream, 'emit', (emit) => {
      const seen = (event: unknown): void => {
        if (event === 'response') this.hasResponse = true;
      };
      return function emitWatched(this: ClientHttp2Stream, ...values: never[]): boolean {
        seen(values[0]);
        return Reflect.apply(emit, this, values) as boolean;
      } as ClientHttp2Stream['emit'];
    });
    patchInstance(stream, 'push', (push) => {
      const seen = (chunk: unknown): void => {
        if (chunk instanceof Uint8Array) this.bytes += chunk.byteLength;
      };
      return function pushWatched(this: ClientHttp2Stream, ...values: Parameters<typeof push>): boolean {
        seen(values[0]);
        return push.apply(this, values);
      };
    });
  }

  /** Resolves when the response, and so many bytes of its body, have come through, or nobody waits for them. */
  async through(bytes: number): Promise<void> {
    do await turn();
    while (!this.stream.destroyed && (!this.hasResponse || this.bytes < bytes));
  }
}

async function play(
  exchange: Pick<Exchange, 'error'>,
  response: ExchangeResponse,
  ends: { readonly stream: ClientHttp2Stream; readonly far: ServerHttp2Stream },
  times: { readonly release: Release; readonly offsetUs: number },
  beyond: ((detail: string) => Error) | undefined,
): Promise<void> {
  const { stream, far } = ends;
  const { release, offsetUs } = times;
  await release.at(offsetUs + response.headersAfterUs);
  if (far.destroyed) return;
  const arrivals = new Arrivals(stream);
  let bytes = 0;
  respond(far, response);
  for (const chunk of response.chunks) {
    await arrivals.through(bytes);
    await release.at(offsetUs + chunk[0]);
    if (far.destroyed) return;
    far.write(chunkBytes(chunk));
    bytes += chunkBytes(chunk).byteLength;
  }
  await arrivals.through(bytes);
  switch (response.end) {
    case 'complete':
      await release.settle();
      far.end();
      return;
    case 'failed':
      await release.settle();
      failAsRecorded(stream, exchange);
      return;
    case 'aborted':
    case 'open':
      // Nothing more was recorded: held, unless the host goes on to read where the recorded one had all that it asked for.
      if (response.reader === 'satisfied' && beyond !== undefined)
        whenReadBeyond(stream, () => void stream.destroy(beyond(readBeyond(response))));
      return;
  }
}

/** Answers one request of an HTTP/2 session from its recorded exchange; what cannot be served is its error. */
export async function serveStream(
  admission: StubAdmission,
  stream: ClientHttp2Stream,
  session: ReplaySession,
): Promise<void> {
  const { recorded, release } = admission;
  const { outcome, exchanges } = recorded;
  if (outcome.type === 'pending' && exchanges.length === 0) return;
  try {
    const exchange = servableExchange(admission, 'http');
    const { response } = exchange;
    if (response === undefined) {
      // What the caller called off stays unanswered until this one does, too.
      if (outcome.type === 'aborted' || outcome.type === 'pending') return;
      await release.settle();
      failAsRecorded(stream, exchange);
      return;
    }
    const far = await session.farEnd(stream);
    if (far === undefined) return;
    const beyond = outcome.type === 'pending' ? undefined : (detail: string) => admission.exhausted(detail);
    const times = { release, offsetUs: startedAfterUs(recorded, exchange) };
    await play(exchange, response, { stream, far }, times, beyond);
  } catch (error) {
    stream.destroy(error as Error);
  }
}

/** Answers a request of telemetry that is held back as one of which all was taken. */
export async function serveTakenStream(
  contentType: string | undefined,
  stream: ClientHttp2Stream,
  session: ReplaySession,
): Promise<void> {
  const far = await session.farEnd(stream);
  if (far === undefined) return;
  const times = { release: heldRelease, offsetUs: 0 };
  await play({}, takenResponse(contentType), { stream, far }, times, undefined);
}
