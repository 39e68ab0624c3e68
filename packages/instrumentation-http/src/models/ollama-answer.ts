import { numberOf, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, answersIn, type ModelAnswer } from './model-answer.ts';

/** Reads what Ollama answers: one object, or one in each line, of which the last has the counts. Undefined where nothing in it is Ollama's. */
export function ollamaAnswer(body: AnswerBody): ModelAnswer | undefined {
  const told = answersIn(body).findLast(
    ({ done, embeddings }) => typeof done === 'boolean' || Array.isArray(embeddings),
  );
  const model = stringOf(told?.model);
  if (told === undefined || model === undefined) return undefined;
  const reason = stringOf(told.done_reason);
  return {
    model,
    finishReasons: reason === undefined ? [] : [reason],
    inputTokens: numberOf(told.prompt_eval_count),
    outputTokens: numberOf(told.eval_count),
  };
}
