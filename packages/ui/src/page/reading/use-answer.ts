import { useCallback, useEffect, useState } from 'preact/hooks';
import { type AskFailure, askUntilAnswered } from './ask-until-answered.ts';

/** What has become of a question. */
export type Asked<Answer> =
  | { readonly state: 'waiting' }
  | ({ readonly state: 'failed' } & AskFailure)
  | { readonly state: 'answered'; readonly answer: Answer; readonly failure?: AskFailure };

function afterFailure<Answer>(before: Asked<Answer>, failure: AskFailure): Asked<Answer> {
  return before.state === 'answered' ? { ...before, failure } : { state: 'failed', ...failure };
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
    const tell = (change: (before: Asked<Answer>) => Asked<Answer>): void =>
      setHeld((before) => ({ key, asked: change(before.key === key ? before.asked : { state: 'waiting' }) }));
    void askUntilAnswered(ask, {
      signal,
      onAnswer: (answer) => tell(() => ({ state: 'answered', answer })),
      onFailure: (failure) => tell((before) => afterFailure(before, failure)),
    });
    return () => ending.abort();
  }, [key, turn]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  return [held.key === key ? held.asked : { state: 'waiting' }, again];
}
