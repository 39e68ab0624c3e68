import { membersOf, numberOf, type SparseAttributes } from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';

/** Token counts. The API counts cached tokens beside the input, the conventions inside it. */
export function usageAttributes(value: unknown): SparseAttributes {
  const usage = membersOf(value);
  const uncached = numberOf(usage.input_tokens);
  const cacheRead = numberOf(usage.cache_read_input_tokens);
  const cacheCreation = numberOf(usage.cache_creation_input_tokens);
  return {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]:
      uncached === undefined ? undefined : uncached + (cacheRead ?? 0) + (cacheCreation ?? 0),
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: cacheRead,
    [ATTR_GEN_AI_USAGE_CACHE_CREATION_INPUT_TOKENS]: cacheCreation,
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: numberOf(usage.output_tokens),
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: numberOf(membersOf(usage.output_tokens_details).thinking_tokens),
  };
}
