import { membersOf, numberOf, type SparseAttributes } from '@reenact/instrumentation';
import {
  ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_INPUT_TOKENS,
  ATTR_GEN_AI_USAGE_OUTPUT_TOKENS,
  ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS,
} from '@reenact/semconv/gen-ai';

/** Token counts of either API. Cached tokens are part of the input, reasoning tokens part of the output, as counted. */
export function usageAttributes(value: unknown): SparseAttributes {
  const usage = membersOf(value);
  const inputDetails = membersOf(usage.prompt_tokens_details ?? usage.input_tokens_details);
  const outputDetails = membersOf(usage.completion_tokens_details ?? usage.output_tokens_details);
  return {
    [ATTR_GEN_AI_USAGE_INPUT_TOKENS]: numberOf(usage.prompt_tokens ?? usage.input_tokens),
    [ATTR_GEN_AI_USAGE_OUTPUT_TOKENS]: numberOf(usage.completion_tokens ?? usage.output_tokens),
    [ATTR_GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS]: numberOf(inputDetails.cached_tokens),
    [ATTR_GEN_AI_USAGE_REASONING_OUTPUT_TOKENS]: numberOf(outputDetails.reasoning_tokens),
  };
}
