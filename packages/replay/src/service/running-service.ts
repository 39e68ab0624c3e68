import type { QuestionFailed } from '@reenact/instrumentation';

/** A service that is running, and how the recorded run is entered in it. */
export interface RunningService {
  /** As it was named: `http://127.0.0.1:8080`. */
  readonly address: string;
  /**
   * Asks whether it takes part in the replay of a token. Resolves with its proof, to be verified, or undefined, and tells `failed`
   * where nothing answered. Never rejects, and sends nothing of what was recorded but where it goes.
   */
  ask(token: string, failed: QuestionFailed): Promise<string | undefined>;
  /**
   * Sends what was recorded with a position in its baggage, and reads the answer to its end. Gives what the report must say. Never
   * rejects for what the service does.
   */
  enter(baggageOf: (given: string | undefined) => string, signal: AbortSignal): Promise<string[]>;
}
