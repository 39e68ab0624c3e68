import { type CollectorQuestions, type FollowOptions, RetryDelay } from '@reenact/collector-client/collector-questions';
import type { TailEvent, TailQuery } from '@reenact/trace-model/collector-api';
import { isReenactError } from '@reenact/trace-model/reenact-error';
import { takeStreamTurn } from './stream-turn.ts';

/** Whether it may be otherwise if it is tried again, as it is not where a token was taken back. */
function isTemporary(thrown: unknown): boolean {
  return !isReenactError(thrown) || thrown.retryable;
}

/**
 * Follows runs as `followRuns` of the collector does, with a stream that the windows of a browser have in turns where they are more than it has connections for.
 * Nothing is handed from one window to another: each reads with its own token, and goes on after the last event that it read. A first connection that fails
 * is tried again as one that was lost: the collector was there a moment ago, or there would be nothing to follow. Throws only what is refused for good.
 */
export async function* followInTurns(
  collector: CollectorQuestions,
  query: TailQuery,
  options: FollowOptions,
): AsyncGenerator<TailEvent> {
  const { signal } = options;
  let place = options.lastEventId;
  const delay = new RetryDelay();
  const onPlace = (id: string): void => {
    place = id;
    options.onPlace?.(id);
  };
  for (let isFirst = true; ; isFirst = false) {
    const turn = await takeStreamTurn(signal, isFirst);
    if (turn === undefined) return;
    const ending = AbortSignal.any([signal, turn.over]);
    const onConnected = (): void => {
      delay.reset();
      turn.onConnected();
      options.onConnected?.();
    };
    let failure: unknown;
    try {
      const ofTurn = { ...options, signal: ending, lastEventId: place, onPlace, onConnected };
      for await (const event of collector.followRuns(query, ofTurn)) yield event;
    } catch (thrown) {
      if (!isTemporary(thrown)) throw thrown;
      failure = thrown;
    } finally {
      await turn.end();
    }
    if (failure === undefined) continue;
    options.onLost?.(failure);
    await delay.wait(signal);
  }
}
