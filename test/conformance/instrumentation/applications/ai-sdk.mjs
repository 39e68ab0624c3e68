import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';

export async function run(address) {
  const model = createOpenAI({ apiKey: 'sk-secret', baseURL: `${address}/v1` }).chat('gpt-4o');
  const { text } = await generateText({ model, prompt: 'sell $1,000 worth' });
  return text;
}
