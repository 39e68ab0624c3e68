import { createOpenAI } from '@ai-sdk/openai';
import { instrumentModel } from '@reenact/instrumentation-ai-sdk';
import { generateText } from 'ai';

export async function run(address) {
  const model = instrumentModel(createOpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1` }).chat('gpt-4o'));
  const { text } = await generateText({ model, prompt: 'sell $1,000 worth' });
  return text;
}
