import {
  GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK,
  GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI,
  GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI,
  GEN_AI_PROVIDER_NAME_VALUE_MISTRAL_AI,
  GEN_AI_PROVIDER_NAME_VALUE_MOONSHOT_AI,
  GEN_AI_PROVIDER_NAME_VALUE_X_AI,
} from '@reenact/semconv/gen-ai';

/** Providers that the conventions spell otherwise than the AI SDK; the longest beginning of a name counts. */
const names: readonly (readonly [prefix: string, name: string])[] = [
  ['google.vertex', GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI],
  ['vertex', GEN_AI_PROVIDER_NAME_VALUE_GCP_VERTEX_AI],
  ['google', GEN_AI_PROVIDER_NAME_VALUE_GCP_GEMINI],
  ['amazon-bedrock', GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK],
  ['bedrock', GEN_AI_PROVIDER_NAME_VALUE_AWS_BEDROCK],
  ['azure', GEN_AI_PROVIDER_NAME_VALUE_AZURE_AI_OPENAI],
  ['mistral', GEN_AI_PROVIDER_NAME_VALUE_MISTRAL_AI],
  ['moonshotai', GEN_AI_PROVIDER_NAME_VALUE_MOONSHOT_AI],
  ['xai', GEN_AI_PROVIDER_NAME_VALUE_X_AI],
];

/** The conventions' name of a provider as the AI SDK names it (`openai.responses`); its first word where they know none. */
export function providerName(provider: string): string {
  const known = names.find(([prefix]) => provider === prefix || provider.startsWith(`${prefix}.`));
  return known?.[1] ?? provider.split('.')[0] ?? provider;
}
