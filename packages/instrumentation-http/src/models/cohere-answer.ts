import { membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, answersIn, type ModelAnswer, merged } from './model-answer.ts';

/**
 * Reads what Cohere answers to a chat or a request for embeddings, whole or as events, of which the first has the id and the last the rest.
 * Undefined where nothing is counted as Cohere counts.
 */
export function cohereAnswer(body: AnswerBody): ModelAnswer | undefined {
  const parts = answersIn(body);
  const told = merged(parts.flatMap((part) => [part, part.delta]));
  const usage = membersOf(told.usage ?? told.meta);
  // What is billed leaves out what Cohere adds to a prompt itself; an embedding says nothing else.
  const counts = usage.tokens ?? usage.billed_units;
  if (counts === undefined) return undefined;
  const tokens = membersOf(counts);
  const reason = stringOf(told.finish_reason);
  return {
    id: stringOf(told.id),
    finishReasons: reason === undefined ? [] : [reason],
    inputTokens: numberOf(tokens.input_tokens),
    outputTokens: numberOf(tokens.output_tokens),
  };
}
