import { type TailEvent, type TailQuery, tailEventSchema } from '@reenact/trace-model/collector-api';
import { isReenactError } from '@reenact/trace-model/reenact-error';
import type { ApiConnection } from './api-connection.ts';
import { readEventStream, type StreamMessage } from './event-stream.ts';
import { piecesOf } from './pieces-of.ts';
import { RetryDelay } from './retry-delay.ts';

/** How runs are followed. */
export interface FollowOptions {
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Id of the last event that was read; without it, only what changes from now on is told. */
  readonly lastEventId?: string | undefined;
  /** Whether runs that have changed and do not pass the query are told, too. */
  readonly leaving?: boolean;
  /** Told where in the stream it is: an id to go on after, later and by another call. */
  readonly onPlace?: (lastEventId: string) => void;
  /** Told each time that a connection is there. */
  readonly onConnected?: () => void;
  /** Told when a connection that worked is lost; it is made again until the signal ends it. */
  readonly onLost?: (cause: unknown) => void;
}

function eventOf({ id, event, data }: StreamMessage): TailEvent | undefined {
  if (data === '') return undefined;
  // Events that this version does not know are for others.
  const parsed = tailEventSchema.safeParse({ id, event, data: JSON.parse(data) as unknown });
  return parsed.success ? parsed.data : undefined;
}

/**
 * Runs as they come and change. What is lost on the way is made up for: a new connection goes on after the last event. Throws
 * ReenactError where the first connection cannot be made, or a later one is refused for good.
 */
export async function* followRuns(
  connection: ApiConnection,
  query: TailQuery,
  { signal, lastEventId, leaving, onPlace, onConnected, onLost }: FollowOptions,
): AsyncGenerator<TailEvent> {
  const path = connection.pathOf('tailRuns', leaving === true ? { ...query, leaving } : query);
  let last = lastEventId;
  let hasConnected = false;
  const delay = new RetryDelay();
  while (!signal.aborted) {
    try {
      const response = await connection.open(path, last === undefined ? {} : { 'last-event-id': last }, signal);
      hasConnected = true;
      delay.reset();
      onConnected?.();
      for await (const message of readEventStream(piecesOf(response))) {
        last = message.id ?? last;
        const event = eventOf(message);
        if (event !== undefined) yield event;
        if (last !== undefined) onPlace?.(last);
      }
    } catch (thrown) {
      if (signal.aborted) return;
      const isTemporary = !isReenactError(thrown) || thrown.retryable;
      if (!hasConnected || !isTemporary) throw thrown;
      onLost?.(thrown);
    }
    await delay.wait(signal);
  }
}
