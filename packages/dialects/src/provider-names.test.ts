import { describe, expect, it } from 'vitest';
import { providerName } from './provider-names.ts';

describe('words of others', () => {
  it.each([
    ['openai.chat', 'openai'],
    ['OpenAI', 'openai'],
    ['anthropic.messages', 'anthropic'],
    ['google.generative-ai', 'gcp.gemini'],
    ['google.vertex.chat', 'gcp.vertex_ai'],
    ['amazon-bedrock', 'aws.bedrock'],
    ['azure-openai.chat', 'azure.ai.openai'],
    ['xai.chat', 'x_ai'],
    ['Mistral AI', 'mistral_ai'],
    ['gcp.vertex_ai', 'gcp.vertex_ai'],
    ['ibm.watsonx.ai', 'ibm.watsonx.ai'],
    ['nobody-knows', 'nobody-knows'],
  ])('name the provider %s', (given, name) => {
    expect(providerName(given)).toBe(name);
    expect(providerName(providerName(given))).toBe(providerName(given));
  });
});
