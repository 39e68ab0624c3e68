import {
  type OpenCrossing,
  type StubAdmission,
  servableExchange,
  serveFetchExchange,
  startedAfterUs,
  untilAborted,
} from '@reenact/instrumentation';
import { bodyOfBytes, type SentBody } from '../message-body.ts';
import type { FetchParameters, FetchRequest } from './fetch-arguments.ts';
import { type ReadStream, readStream } from './fetch-body.ts';
import { sentWith } from './sent-with.ts';

/** A request whose body is known, and how it is sent on if it has to be. */
export interface KnownRequest extends SentBody {
  readonly parameters: FetchParameters;
  /** With what reading the body failed. */
  readonly failure?: ReadStream['failure'];
}

/** A body that was read, to be sent after all: it fails where the one that was read did. */
export function sentAgain({ bytes, failure }: ReadStream): Uint8Array | AsyncIterable<Uint8Array> {
  if (failure === undefined) return bytes;
  async function* parts(): AsyncGenerator<Uint8Array> {
    if (bytes.byteLength > 0) yield bytes;
    throw failure?.error;
  }
  return parts();
}

/** What is known of a body that was read; nothing of one that was called off, which is recorded without it. */
export function sentBodyOf({ bytes, failure, isCalledOff }: ReadStream): SentBody {
  if (isCalledOff) return { body: undefined };
  return { body: bodyOfBytes(bytes), ...(failure === undefined ? {} : { isBroken: true }) };
}

/** Reads the whole body before anything is decided. A promise only where it cannot be had at once. */
export function knownRequest({ body, parameters, signal }: FetchRequest): KnownRequest | Promise<KnownRequest> {
  switch (body.type) {
    case 'known':
      return { body: body.body, parameters };
    case 'readable':
      return body.read().then((known) => ({ body: known, parameters }));
    case 'streamed':
      return readStream(body.stream, signal).then((read) => ({
        ...sentBodyOf(read),
        failure: read.failure,
        parameters: sentWith(parameters, sentAgain(read)),
      }));
    case 'request': {
      const { body: copy } = body.request.clone();
      if (copy === null) return { body: undefined, parameters };
      return readStream(copy, signal).then((read) => ({ ...sentBodyOf(read), parameters }));
    }
  }
}

/** Answers a `fetch` from its recorded exchange. Nothing is sent. */
export async function serveFetch(admission: StubAdmission, signal: AbortSignal | undefined): Promise<Response> {
  const { recorded, release } = admission;
  const { outcome } = recorded;
  // It had not been answered when its process stopped: nothing but an abort ends it here either.
  if (outcome.type === 'pending' && recorded.exchanges.length === 0) return untilAborted(signal);
  const exchange = servableExchange(admission, 'fetch');
  return serveFetchExchange(exchange, {
    release,
    startedAfterUs: startedAfterUs(recorded, exchange),
    isLast: true,
    wasAborted: outcome.type === 'aborted' || outcome.type === 'pending',
    signal,
    beyond: outcome.type === 'pending' ? undefined : (detail) => admission.exhausted(detail),
  });
}

/** A request that was answered from a recording has been read, as one that was sent has. */
export function markRead({ body }: FetchRequest, crossing: OpenCrossing): void {
  if (body.type !== 'request' || body.request.bodyUsed) return;
  body.request.arrayBuffer().catch(() => crossing.markLossy('/input/body unreadable'));
}
