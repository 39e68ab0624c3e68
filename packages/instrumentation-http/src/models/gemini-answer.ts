import { listOf, membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, answersIn, type ModelAnswer, merged, sumOf } from './model-answer.ts';

/** Reads what Gemini answers, on Google's own API and on Vertex AI. Of a stream every part counts from its beginning: the last says it all. */
export function geminiAnswer(body: AnswerBody): ModelAnswer {
  const answers = answersIn(body);
  const told = merged(answers);
  const usage = merged(answers.map(({ usageMetadata }) => usageMetadata));
  return {
    model: stringOf(told.modelVersion),
    id: stringOf(told.responseId),
    finishReasons: answers
      .flatMap(({ candidates }) => listOf(candidates))
      .flatMap((candidate) => stringOf(membersOf(candidate).finishReason) ?? []),
    inputTokens: sumOf(numberOf(usage.promptTokenCount), numberOf(usage.toolUsePromptTokenCount)),
    cacheReadTokens: numberOf(usage.cachedContentTokenCount),
    outputTokens: sumOf(numberOf(usage.candidatesTokenCount), numberOf(usage.thoughtsTokenCount)),
    reasoningTokens: numberOf(usage.thoughtsTokenCount),
  };
}
