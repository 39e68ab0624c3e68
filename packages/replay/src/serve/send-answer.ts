import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { isWithheld, type Release } from '@reenact/instrumentation';
import { chunkBytes, type Exchange, type ExchangeResponse } from '@reenact/trace-model';
import type { ServedAnswer } from './serve-protocol.ts';

/** When the parts of one answer may be sent. */
export interface SendTimes {
  readonly release: Release;
  /** Microseconds from the start of the recorded crossing to the start of this exchange. */
  readonly startedAfterUs: number;
  /** Whether the recorded crossing settled with the end of this exchange. */
  readonly isLast: boolean;
  /** Resolves when those that were recorded to end before this answer have. */
  readonly turn: () => Promise<void>;
}

/** Headers of the connection that carried the answer then, not of the answer. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Recorded headers as flat name-value pairs; where the body was recorded decoded, nothing says that it is encoded. */
function servedHeaders({ headers }: ExchangeResponse, layer: Exchange['layer']): string[] {
  return headers
    .filter(([name, value]) => !hopByHop.has(name.toLowerCase()) && !isWithheld(value))
    .filter(([name]) => layer === 'http' || name.toLowerCase() !== 'content-encoding')
    .flat();
}

/** Writes one chunk and waits until there is room for the next; false once the client has gone. */
async function writeChunk(response: ServerResponse, bytes: Uint8Array | string): Promise<boolean> {
  if (response.destroyed) return false;
  if (bytes.length > 0 && !response.write(bytes)) {
    await Promise.race([once(response, 'drain'), once(response, 'close')]).catch(() => undefined);
  }
  return !response.destroyed;
}

async function sendBody(response: ServerResponse, recorded: ExchangeResponse, times: SendTimes): Promise<boolean> {
  const { release, startedAfterUs, isLast, turn } = times;
  for (const [index, chunk] of recorded.chunks.entries()) {
    // Clients stop reading at the last event of a stream, so that one already waits for its turn.
    if (isLast && index === recorded.chunks.length - 1) await turn();
    await release.at(startedAfterUs + chunk[0]);
    if (!(await writeChunk(response, chunkBytes(chunk)))) return false;
  }
  return true;
}

async function sendEnd(response: ServerResponse, recorded: ExchangeResponse, times: SendTimes): Promise<void> {
  const { release, startedAfterUs, isLast, turn } = times;
  switch (recorded.end) {
    case 'complete':
    case 'failed':
      if (isLast) await turn();
      await (isLast ? release.settle() : release.at(startedAfterUs + recorded.endAfterUs));
      if (recorded.end === 'complete') response.end();
      else response.destroy();
      return;
    case 'aborted':
    case 'open':
      // Nothing more was recorded. Of the last attempt the client is left waiting until it gives up, as it did then; an
      // earlier one was thrown away unread for the next, and one that reads it must not wait for ever.
      if (!isLast) response.end();
      return;
  }
}

/**
 * Answers one request with a recorded exchange: status, headers, body bytes and chunk boundaries as they were, or the
 * connection cut at the same point. Never throws for a client that goes away.
 */
export async function sendExchange(response: ServerResponse, exchange: Exchange, times: SendTimes): Promise<void> {
  const { response: recorded, layer } = exchange;
  if (recorded === undefined) {
    await times.turn();
    await (times.isLast ? times.release.settle() : times.release.at(times.startedAfterUs));
    response.destroy();
    return;
  }
  await times.release.at(times.startedAfterUs + recorded.headersAfterUs);
  if (response.destroyed) return;
  response.writeHead(recorded.status, recorded.statusText, servedHeaders(recorded, layer));
  response.flushHeaders();
  if (await sendBody(response, recorded, times)) await sendEnd(response, recorded, times);
}

/** Answers one request with an answer that was put together, once its turn has come. */
export async function sendAnswer(response: ServerResponse, answer: ServedAnswer, times?: SendTimes): Promise<void> {
  await times?.turn();
  await times?.release.settle();
  if (response.destroyed) return;
  response.writeHead(answer.status, answer.headers.flat());
  for (const chunk of answer.chunks) {
    if (!(await writeChunk(response, chunk))) return;
  }
  response.end();
}
