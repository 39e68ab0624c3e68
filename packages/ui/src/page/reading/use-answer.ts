import { RetryDelay } from '@reenact/collector-client/collector-questions';
import { isReenactError } from '@reenact/trace-model/reenact-error';
import { useCallback, useEffect, useState } from 'preact/hooks';

/** Why there is no answer, or none to a question that was asked again. */
export interface AskFailure {
  readonly error: unknown;
  /** Whether it is asked again by itself, as where the collector is away for a moment. */
  readonly isTriedAgain: boolean;
}

/** What has become of a question. */
export type Asked<Answer> =
  | { readonly state: 'waiting' }
  | ({ readonly state: 'failed' } & AskFailure)
  | { readonly state: 'answered'; readonly answer: Answer; readonly failure?: AskFailure };

function afterFailure<Answer>(before: Asked<Answer>, failure: AskFailure): Asked<Answer> {
  return before.state === 'answered' ? { ...before, failure } : { state: 'failed', ...failure };
}

/** Asks until there is an answer or the signal ends it, as long as it may be otherwise the next time. */
async function askUntilAnswered<Answer>(
  ask: () => Promise<Answer>,
  signal: AbortSignal,
  tell: (change: (before: Asked<Answer>) => Asked<Answer>) => void,
): Promise<void> {
  const delay = new RetryDelay();
  while (!signal.aborted) {
    try {
      const answer = await ask();
      return tell(() => ({ state: 'answered', answer }));
    } catch (error) {
      const isTriedAgain = isReenactError(error) && error.retryable;
      tell((before) => afterFailure(before, { error, isTriedAgain }));
      if (!isTriedAgain) return;
    }
    await delay.wait(signal);
  }
}

/**
 * Asks, and again where the question has another key or is asked for again; what comes too late for that is dropped. While it is asked again, or could
 * not be, what was answered stays.
 */
export function useAnswer<Answer>(
  key: string,
  ask: () => Promise<Answer>,
): readonly [asked: Asked<Answer>, again: () => void] {
  const [held, setHeld] = useState<{ key: string; asked: Asked<Answer> }>({ key, asked: { state: 'waiting' } });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    void askUntilAnswered(ask, signal, (change) => {
      if (signal.aborted) return;
      setHeld((before) => ({ key, asked: change(before.key === key ? before.asked : { state: 'waiting' }) }));
    });
    return () => ending.abort();
  }, [key, turn]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  return [held.key === key ? held.asked : { state: 'waiting' }, again];
}
