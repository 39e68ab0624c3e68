import * as keys from '@reenact/semconv/gen-ai';

/** Members of a request to a model, as the clients of providers and LangChain name them, by the attribute that each is. */
export const requestParameters: Readonly<Record<string, string>> = {
  temperature: keys.ATTR_GEN_AI_REQUEST_TEMPERATURE,
  top_p: keys.ATTR_GEN_AI_REQUEST_TOP_P,
  top_k: keys.ATTR_GEN_AI_REQUEST_TOP_K,
  max_tokens: keys.ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  max_completion_tokens: keys.ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  max_output_tokens: keys.ATTR_GEN_AI_REQUEST_MAX_TOKENS,
  seed: keys.ATTR_GEN_AI_REQUEST_SEED,
  n: keys.ATTR_GEN_AI_REQUEST_CHOICE_COUNT,
  frequency_penalty: keys.ATTR_GEN_AI_REQUEST_FREQUENCY_PENALTY,
  presence_penalty: keys.ATTR_GEN_AI_REQUEST_PRESENCE_PENALTY,
};
