import { listOf, type Members, membersOf, numberOf, readServerSentEvents, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, jsonOf, type ModelAnswer, sumOf } from './model-answer.ts';

/** The answers in a body: one, or of a stream each, sent as events or as one list. */
function answersOf({ bytes, contentType }: AnswerBody): Members[] {
  const text = bytes.toString('utf8');
  const values = /^text\/event-stream\b/i.test(contentType)
    ? readServerSentEvents(text).map(({ data }) => jsonOf(data))
    : [jsonOf(text)].flat();
  return values.map(membersOf);
}

/** Reads what Gemini answers, on Google's own API and on Vertex AI. Of a stream every part counts from its beginning: the last says it all. */
export function geminiAnswer(body: AnswerBody): ModelAnswer {
  const answers = answersOf(body);
  const told: Members = Object.assign({}, ...answers);
  const usage: Members = Object.assign({}, ...answers.map(({ usageMetadata }) => membersOf(usageMetadata)));
  const reasons = answers
    .flatMap(({ candidates }) => listOf(candidates))
    .flatMap((candidate) => stringOf(membersOf(candidate).finishReason) ?? []);
  return {
    model: stringOf(told.modelVersion),
    id: stringOf(told.responseId),
    finishReasons: reasons.length === 0 ? undefined : reasons,
    inputTokens: sumOf(numberOf(usage.promptTokenCount), numberOf(usage.toolUsePromptTokenCount)),
    cacheReadTokens: numberOf(usage.cachedContentTokenCount),
    outputTokens: sumOf(numberOf(usage.candidatesTokenCount), numberOf(usage.thoughtsTokenCount)),
    reasoningTokens: numberOf(usage.thoughtsTokenCount),
  };
}
