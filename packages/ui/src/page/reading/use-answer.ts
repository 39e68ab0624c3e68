import { useCallback, useEffect, useState } from 'preact/hooks';

/** What has become of a question. */
export type Asked<Answer> =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'answered'; readonly answer: Answer };

/**
 * Asks once, and again where the question has another key or is asked for again; what comes too late for that is dropped. While it is asked again
 * what was answered stays.
 */
export function useAnswer<Answer>(
  key: string,
  ask: () => Promise<Answer>,
): readonly [asked: Asked<Answer>, again: () => void] {
  const [held, setHeld] = useState<{ key: string; asked: Asked<Answer> }>({ key, asked: { state: 'waiting' } });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let isLate = false;
    const hold = (asked: Asked<Answer>): void => {
      if (!isLate) setHeld({ key, asked });
    };
    ask().then(
      (answer) => hold({ state: 'answered', answer }),
      (error: unknown) => hold({ state: 'failed', error }),
    );
    return () => {
      isLate = true;
    };
  }, [key, turn]);
  const again = useCallback(() => setTurn((count) => count + 1), []);
  return [held.key === key ? held.asked : { state: 'waiting' }, again];
}
