import { listOf, type Members, membersOf, numberOf, responseFinishReason, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, answersIn, type ModelAnswer, merged } from './model-answer.ts';

/** Counts as OpenAI's APIs name them, both generations: cached tokens are a part of the input, those of reasoning of the output. */
function usageOf(usage: Members): ModelAnswer {
  const inputDetails = membersOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = membersOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return {
    inputTokens: numberOf(usage.prompt_tokens ?? usage.input_tokens),
    cacheReadTokens: numberOf(inputDetails.cached_tokens),
    outputTokens: numberOf(usage.completion_tokens ?? usage.output_tokens),
    reasoningTokens: numberOf(outputDetails.reasoning_tokens),
  };
}

/** Reads a chat completion or one of a text, whole or in parts; undefined where it is none. */
export function completionAnswer(body: AnswerBody): ModelAnswer | undefined {
  const parts = answersIn(body).filter(({ choices }) => Array.isArray(choices));
  if (parts.length === 0) return undefined;
  const told = merged(parts);
  // Groq tells the counts of a stream in a member of its own.
  const usage = merged(parts.flatMap((part) => [membersOf(part.x_groq).usage, part.usage]));
  return {
    model: stringOf(told.model),
    id: stringOf(told.id),
    finishReasons: parts
      .flatMap(({ choices }) => listOf(choices))
      .flatMap((choice) => stringOf(membersOf(choice).finish_reason) ?? []),
    ...usageOf(usage),
  };
}

/** Reads a response object, whole or as the last event that holds it; undefined where there is none. */
export function responsesAnswer(body: AnswerBody): ModelAnswer | undefined {
  const told = answersIn(body)
    .map((part) => membersOf(part.response ?? part))
    .findLast(({ object }) => object === 'response');
  if (told === undefined) return undefined;
  const ending = responseFinishReason(told);
  return {
    model: stringOf(told.model),
    id: stringOf(told.id),
    finishReasons: ending === undefined ? [] : [ending],
    ...usageOf(membersOf(told.usage)),
  };
}

/** Reads the answer to a request for embeddings; undefined where it is none. */
export function embeddingsAnswer(body: AnswerBody): ModelAnswer | undefined {
  const told = answersIn(body).find(({ data }) => Array.isArray(data));
  return told === undefined ? undefined : { model: stringOf(told.model), ...usageOf(membersOf(told.usage)) };
}
