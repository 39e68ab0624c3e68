import { RetryDelay } from '@reenact/collector-client/collector-questions';
import { isReenactError } from '@reenact/trace-model/reenact-error';

/** Why there is no answer, or none to a question that was asked again. */
export interface AskFailure {
  readonly error: unknown;
  /** Whether it is asked again by itself, as where the collector is away for a moment. */
  readonly isTriedAgain: boolean;
}

interface Asking<Answer> {
  /** Once it is aborted, nothing more is asked or told. */
  readonly signal: AbortSignal;
  readonly onAnswer: (answer: Answer) => void;
  readonly onFailure: (failure: AskFailure) => void;
}

/** Asks until there is an answer or the signal ends it, as long as it may be otherwise the next time. */
export async function askUntilAnswered<Answer>(
  ask: () => Promise<Answer>,
  { signal, onAnswer, onFailure }: Asking<Answer>,
): Promise<void> {
  const delay = new RetryDelay();
  while (!signal.aborted) {
    try {
      const answer = await ask();
      if (!signal.aborted) onAnswer(answer);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const isTriedAgain = isReenactError(error) && error.retryable;
      onFailure({ error, isTriedAgain });
      if (!isTriedAgain) return;
    }
    await delay.wait(signal);
  }
}
