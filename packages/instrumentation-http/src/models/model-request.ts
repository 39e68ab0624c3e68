import type { AnswerBody, ModelAnswer } from './model-answer.ts';

/** A request to a model as its address tells it, and who reads the answer. */
export interface ModelRequest {
  readonly operation: string;
  readonly provider: string;
  /** Undefined where the body of the request says it. */
  readonly model: string | undefined;
  /** Whether the answer is asked for in parts; undefined where the body of the request says it. */
  readonly isStreamed: boolean | undefined;
  /** What the answer says; undefined where it is none of a model. */
  read(body: AnswerBody): ModelAnswer | undefined;
}
