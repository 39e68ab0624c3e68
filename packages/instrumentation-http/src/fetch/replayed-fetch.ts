import {
  type OpenCrossing,
  type StubAdmission,
  servableExchange,
  serveFetchExchange,
  startedAfterUs,
  untilAborted,
} from '@reenact/instrumentation';
import { bodyOfBytes, type MessageBody } from '../message-body.ts';
import type { FetchParameters, FetchRequest } from './fetch-arguments.ts';
import { readStream } from './fetch-body.ts';

/** A request whose body is known, and how it is sent on if it has to be. */
export interface KnownRequest {
  readonly body: MessageBody | undefined;
  readonly parameters: FetchParameters;
}

function withBody([input, init]: FetchParameters, bytes: Uint8Array): FetchParameters {
  return [input, Object.create(init ?? null, { body: { value: bytes, enumerable: true } }) as RequestInit];
}

/** Reads the whole body before anything is decided. A promise only where it cannot be had at once. */
export function knownRequest({ body, parameters }: FetchRequest): KnownRequest | Promise<KnownRequest> {
  switch (body.type) {
    case 'known':
      return { body: body.body, parameters };
    case 'readable':
      return body.read().then((known) => ({ body: known, parameters }));
    case 'streamed':
      return readStream(body.stream).then((bytes) => ({
        body: bodyOfBytes(bytes),
        parameters: withBody(parameters, bytes),
      }));
    case 'request': {
      const { request } = body;
      const copy = request.clone();
      return copy.arrayBuffer().then((bytes) => ({ body: bodyOfBytes(new Uint8Array(bytes)), parameters }));
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
  });
}

/** A request that was answered from a recording has been read, as one that was sent has. */
export function markRead({ body }: FetchRequest, crossing: OpenCrossing): void {
  if (body.type !== 'request' || body.request.bodyUsed) return;
  body.request.arrayBuffer().catch(() => crossing.markLossy('/input/body unreadable'));
}
