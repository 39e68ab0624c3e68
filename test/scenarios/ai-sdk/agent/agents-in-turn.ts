// Two runs of an agent of the AI SDK in one process, and then a call of a model with no agent around it.
import { createOpenAI } from '@ai-sdk/openai';
import { generateText, ToolLoopAgent } from 'ai';

const model = createOpenAI({ baseURL: `${process.env.PROVIDER_URL}/v1`, apiKey: 'local' }).chat('gpt-4o');
const writer = new ToolLoopAgent({ model, id: 'writer' });

for (const which of ['first', 'second']) {
  console.log((await writer.generate({ prompt: `Summarise the ${which} order.` })).text);
}
console.log((await generateText({ model, prompt: 'Summarise all orders.' })).text);
