import {
  GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC,
  GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_INFERENCE,
  GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI,
  GEN_AI_PROVIDER_NAME_VALUE_COHERE,
  GEN_AI_PROVIDER_NAME_VALUE_DEEPSEEK,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI,
  GEN_AI_PROVIDER_NAME_VALUE_GROQ,
  GEN_AI_PROVIDER_NAME_VALUE_MISTRAL_AI,
  GEN_AI_PROVIDER_NAME_VALUE_MOONSHOT_AI,
  GEN_AI_PROVIDER_NAME_VALUE_OPENAI,
  GEN_AI_PROVIDER_NAME_VALUE_PERPLEXITY,
  GEN_AI_PROVIDER_NAME_VALUE_X_AI,
} from '@reenact/semconv/gen-ai';

/** Host names and what theirs end in, and whose they are; Vertex AI puts its region before the name. */
const providers: readonly (readonly [hostEnd: string, provider: string])[] = [
  ['openai.azure.com', GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI],
  ['cognitiveservices.azure.com', GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI],
  ['services.ai.azure.com', GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_INFERENCE],
  ['models.ai.azure.com', GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_INFERENCE],
  ['generativelanguage.googleapis.com', GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI],
  ['aiplatform.googleapis.com', GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI],
  ['-aiplatform.googleapis.com', GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI],
  ['anthropic.com', GEN_AI_PROVIDER_NAME_VALUE_ANTHROPIC],
  ['cohere.com', GEN_AI_PROVIDER_NAME_VALUE_COHERE],
  ['cohere.ai', GEN_AI_PROVIDER_NAME_VALUE_COHERE],
  ['deepseek.com', GEN_AI_PROVIDER_NAME_VALUE_DEEPSEEK],
  ['groq.com', GEN_AI_PROVIDER_NAME_VALUE_GROQ],
  ['mistral.ai', GEN_AI_PROVIDER_NAME_VALUE_MISTRAL_AI],
  ['moonshot.ai', GEN_AI_PROVIDER_NAME_VALUE_MOONSHOT_AI],
  ['moonshot.cn', GEN_AI_PROVIDER_NAME_VALUE_MOONSHOT_AI],
  ['openai.com', GEN_AI_PROVIDER_NAME_VALUE_OPENAI],
  ['openrouter.ai', 'openrouter'],
  ['perplexity.ai', GEN_AI_PROVIDER_NAME_VALUE_PERPLEXITY],
  ['x.ai', GEN_AI_PROVIDER_NAME_VALUE_X_AI],
];

/** Whose host this is, in the word of the conventions; undefined for a host of anybody else. */
export function providerAt(hostname: string): string | undefined {
  return providers.find(([end]) => hostname === end || hostname.endsWith(end.startsWith('-') ? end : `.${end}`))?.[1];
}
