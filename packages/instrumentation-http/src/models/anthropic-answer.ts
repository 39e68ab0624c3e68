import { membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import { type AnswerBody, answersIn, type ModelAnswer, merged, sumOf } from './model-answer.ts';

/** Reads a message of Anthropic's API, whole or as its events; undefined where it is none. Cached tokens are counted beside the input. */
export function anthropicAnswer(body: AnswerBody): ModelAnswer | undefined {
  const parts = answersIn(body);
  const message = parts.map((part) => membersOf(part.message ?? part)).find(({ type }) => type === 'message');
  if (message === undefined) return undefined;
  const usage = merged([message.usage, ...parts.map((part) => part.usage)]);
  const reason = stringOf(merged([message, ...parts.map(({ delta }) => delta)]).stop_reason);
  const [cacheReadTokens, cacheWriteTokens] = [usage.cache_read_input_tokens, usage.cache_creation_input_tokens].map(
    numberOf,
  );
  const uncached = numberOf(usage.input_tokens);
  return {
    model: stringOf(message.model),
    id: stringOf(message.id),
    finishReasons: reason === undefined ? [] : [reason],
    inputTokens: uncached === undefined ? undefined : sumOf(uncached, cacheReadTokens, cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: numberOf(usage.output_tokens),
  };
}
