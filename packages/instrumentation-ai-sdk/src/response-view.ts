import {
  definedAttributes,
  membersOf,
  numberOf,
  type SemconvView,
  type SparseAttributes,
  stringOf,
} from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_OUTPUT_MESSAGES,
  ATTR_GEN_AI_RESPONSE_FINISH_REASONS,
  ATTR_GEN_AI_RESPONSE_ID,
  ATTR_GEN_AI_RESPONSE_MODEL,
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';
import { outputMessages } from './messages-view.ts';

const reasons: Readonly<Record<string, string>> = { 'tool-calls': 'tool_call', 'content-filter': 'content_filter' };

/** The convention's word; a word it does not know is kept. Newer models give a record with the unified word in it. */
function finishReasonOf(value: unknown): string | undefined {
  const word = stringOf(value) ?? stringOf(membersOf(value).unified);
  return word === undefined ? undefined : (reasons[word] ?? word);
}

function usageAttributes(value: unknown): SparseAttributes {
  const usage = membersOf(value);
  const input = membersOf(usage.inputTokens);
  const output = membersOf(usage.outputTokens);
  return {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: numberOf(input.total ?? usage.inputTokens ?? usage.tokens),
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: numberOf(output.total ?? usage.outputTokens),
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: numberOf(input.cacheRead ?? usage.cachedInputTokens),
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: numberOf(input.cacheWrite),
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: numberOf(output.reasoning ?? usage.reasoningTokens),
  };
}

/** The semconv view of what a model's method gave. Throws whatever a strange result makes it throw; the caller guards it. */
export function answerView(result: unknown): SemconvView {
  const { content, finishReason, usage, response } = membersOf(result);
  const { id, modelId } = membersOf(response);
  const reason = finishReasonOf(finishReason);
  const messages = outputMessages(content, reason);
  return {
    slim: definedAttributes({
      [ATTR_GEN_AI_RESPONSE_ID]: stringOf(id),
      [ATTR_GEN_AI_RESPONSE_MODEL]: stringOf(modelId),
      [ATTR_GEN_AI_RESPONSE_FINISH_REASONS]: reason === undefined ? undefined : [reason],
      ...usageAttributes(usage),
    }),
    content: messages.length === 0 ? {} : { [ATTR_GEN_AI_OUTPUT_MESSAGES]: JSON.stringify(messages) },
  };
}
