import { chunkBytes, type Exchange, type ExchangeResponse, ReenactError } from '@reenact/trace-model';
import type { Release } from '../gate/player.ts';
import { eventLoopTurn } from '../host/event-loop-turn.ts';
import { pristine } from '../host/pristine.ts';
import { TURNS_READ_AHEAD } from '../limits.ts';
import { thrownOf } from './fetch-exchange-error.ts';
import { withIdentity } from './fetch-exchange-tap.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Under which conditions a recorded exchange is served. */
export interface FetchServeOptions {
  readonly release: Release;
  /** Microseconds from the start of the recorded crossing to the start of this exchange. */
  readonly startedAfterUs: number;
  /** Whether the recorded crossing settled with the end of this exchange. */
  readonly isLast: boolean;
  /** Whether the caller aborted the recorded request: it then stays pending until this one's abort arrives. */
  readonly wasAborted: boolean;
  readonly signal: AbortSignal | undefined;
  /** Makes the error for whoever reads further than the recorded reader did, who had all that it asked for; absent where it is held. */
  readonly beyond?: ((detail: string) => unknown) | undefined;
}

/** Rejects with the signal's reason when it aborts; never settles otherwise. */
export function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal === undefined) return;
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function turnOf(options: FetchServeOptions, afterUs: number, ends: boolean): Promise<unknown> {
  const { release, isLast, startedAfterUs, signal } = options;
  const turn = ends && isLast ? release.settle() : release.at(startedAfterUs + afterUs);
  return unlessAborted(turn, signal);
}

/** The error an exchange failed with, made again before anything is served, so that a damaged one is told as such. */
function recordedError({ error, attempt }: Exchange): unknown {
  if (error === undefined) return undefined;
  try {
    return thrownOf(error);
  } catch (cause) {
    throw damaged(attempt, 'the error it holds cannot be read', cause);
  }
}

function damaged(attempt: number, what: string, cause: unknown): ReenactError {
  return new ReenactError('fixture-damaged', `A recorded exchange cannot be served: ${what}.`, {
    where: `attempt ${attempt + 1}`,
    next: 'Fetch the recording again, or record it anew.',
    cause,
  });
}

/** The recorded body as a stream: the same chunks, each when its time has come, and the same end. */
class ServedBody {
  private readonly error: unknown;
  private readonly response: ExchangeResponse;
  private readonly options: FetchServeOptions;
  private next = 0;
  private isOver = false;
  private stopListening = (): void => undefined;

  constructor(error: unknown, response: ExchangeResponse, options: FetchServeOptions) {
    this.error = error;
    this.response = response;
    this.options = options;
  }

  start(controller: ReadableByteStreamController): void {
    const { signal } = this.options;
    if (signal === undefined) return;
    const abort = (): void => {
      if (this.isOver) return;
      this.isOver = true;
      controller.error(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.stopListening = () => signal.removeEventListener('abort', abort);
  }

  async pull(controller: ReadableByteStreamController): Promise<void> {
    const chunk = this.response.chunks[this.next];
    if (chunk === undefined) return this.end(controller);
    this.next += 1;
    if (!(await this.reach(chunk[0], false))) return;
    const bytes = chunkBytes(chunk);
    // An empty chunk cannot be recorded from a byte stream and must not end a read here.
    if (bytes.byteLength === 0) return this.pull(controller);
    // A copy: Node cuts small buffers out of one shared block, and a byte stream takes the whole block away.
    controller.enqueue(new Uint8Array(bytes));
  }

  /** Whether the moment was reached with the stream still open; an abort has errored it already. */
  private async reach(afterUs: number, ends: boolean): Promise<boolean> {
    try {
      await turnOf(this.options, afterUs, ends);
    } catch (error) {
      if (!this.isOver) throw error;
    }
    return !this.isOver;
  }

  private async end(controller: ReadableByteStreamController): Promise<void> {
    const { end, endAfterUs } = this.response;
    switch (end) {
      case 'complete':
        if (!(await this.reach(endAfterUs, true))) return;
        this.finish();
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      case 'failed':
        if (!(await this.reach(endAfterUs, true))) return;
        // An error throws away what streams in between still hold: the reader gets the time it had to take the last chunks.
        await eventLoopTurn();
        if (this.isOver) return;
        this.finish();
        controller.error(this.error);
        return;
      case 'aborted':
      case 'open':
        return this.goesBeyond(controller);
    }
  }

  /** Nothing more was recorded: pending until the host aborts or cancels, as it did then, or waited to. */
  private async goesBeyond(controller: ReadableByteStreamController): Promise<void> {
    const { beyond } = this.options;
    if (this.response.reader === 'satisfied' && beyond !== undefined) {
      // Streams in between read ahead, and are called off in a moment.
      for (let turn = 0; turn < TURNS_READ_AHEAD && !this.isOver; turn += 1) await eventLoopTurn();
      if (this.isOver) return;
      this.finish();
      controller.error(beyond(readBeyond(this.response)));
      return;
    }
    return new Promise(() => undefined);
  }

  finish(): void {
    this.isOver = true;
    this.stopListening();
  }
}

/** Says that a body is read further than it was when it was recorded, and how far that was. */
export function readBeyond({ chunks, status }: ExchangeResponse): string {
  const bytes = chunks.reduce((sum, chunk) => sum + chunkBytes(chunk).byteLength, 0);
  return `It reads more of the answer (status ${status}) than when it was recorded, where it left it after ${bytes} bytes.`;
}

function bodyOf(error: unknown, response: ExchangeResponse, options: FetchServeOptions): ReadableStream | null {
  if (!response.hasBody) return null;
  const body = new ServedBody(error, response, options);
  return new ReadableStream(
    {
      type: 'bytes',
      start: (controller) => body.start(controller),
      pull: (controller) => body.pull(controller),
      cancel: () => body.finish(),
    },
    { highWaterMark: 0 },
  );
}

function withoutFragment(url: string): string {
  const [address = url] = url.split('#');
  return address;
}

function responseOf(exchange: Exchange, response: ExchangeResponse, options: FetchServeOptions): Response {
  const { status, statusText, headers, url } = response;
  const body = bodyOf(recordedError(exchange), response, options);
  const redirected = withoutFragment(url) !== withoutFragment(exchange.request.url);
  try {
    return withIdentity(new Response(body, { status, statusText, headers }), { url, redirected, type: 'basic' });
  } catch (cause) {
    throw damaged(exchange.attempt, 'no response can have its status, status text and headers', cause);
  }
}

/**
 * Answers one `fetch` from a recorded exchange: the same status, headers and chunks, or the same error at the same
 * point. What the recorded caller aborted, and a request whose end was never seen, stays pending until the signal aborts.
 * Never touches the network. Rejects with a ReenactError `fixture-damaged`, before anything is served, where the
 * exchange makes no sense: the caller must not let a client library's retry loop swallow that one.
 */
export async function serveFetchExchange(exchange: Exchange, options: FetchServeOptions): Promise<Response> {
  const { signal } = options;
  try {
    return await served(exchange, options);
  } catch (error) {
    return signal?.aborted === true && error === signal.reason ? failedAsFetch(error) : Promise.reject(error);
  }
}

/** The `fetch` of the platform fails with the reason of its signal, and takes the lines out of that one's stack. */
function failedAsFetch(reason: unknown): Promise<Response> {
  return pristine.fetch('data:,', { signal: AbortSignal.abort(reason) });
}

async function served(exchange: Exchange, options: FetchServeOptions): Promise<Response> {
  const { response } = exchange;
  options.signal?.throwIfAborted();
  if (response === undefined) {
    if (options.wasAborted || exchange.error === undefined) return untilAborted(options.signal);
    const error = recordedError(exchange);
    await turnOf(options, 0, true);
    throw error;
  }
  const answer = responseOf(exchange, response, options);
  await turnOf(options, response.headersAfterUs, !response.hasBody);
  return answer;
}
