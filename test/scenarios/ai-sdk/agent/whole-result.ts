// Gives back all that the AI SDK gave it, as a short wrapper does: what it measured, too.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
import { agent } from 'reenact';

const openai = createOpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1` });
const ending = process.env.ENDING ?? '';
const whole = agent('whole', async (prompt: string) => {
  const { text, steps } = await generateText({ model: openai('gpt-4o'), prompt });
  return { text: `${text}${ending}`, steps };
});

console.log((await whole('Summarise.')).text);
