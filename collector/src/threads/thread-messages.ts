import type { ReenactError } from '@reenact/trace-model/reenact-error';

/** One question to a thread. */
export interface CallMessage {
  readonly id: number;
  readonly type: string;
  readonly ask: unknown;
}

/** An error as it travels between threads. */
export interface SentError {
  readonly code: ReenactError['code'];
  readonly message: string;
  readonly where: string | undefined;
  readonly next: string | undefined;
  readonly retryable: boolean;
}

/** One answer of a thread, with facts about the thread where it has some; id 0 says that it is ready, or why it could not start. */
export interface AnswerMessage<Facts = never> {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: SentError;
  readonly facts?: Facts;
  /** Instead of an answer, while the thread starts: how far it is. */
  readonly step?: unknown;
}
