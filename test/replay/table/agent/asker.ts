// Asks a provider in every protocol and framing that an answer can be edited in, and prints what it said.
import OpenAI from 'openai';
import { agent } from 'reenact';

const client = new OpenAI({ maxRetries: 0 });
const model = 'gpt-5-mini';
const messages = [{ role: 'user', content: 'What now?' }] as const;

const asker = agent('asker', async () => {
  const plain = await client.chat.completions.create({ model, messages: [...messages] });
  let streamed = '';
  for await (const chunk of await client.chat.completions.create({ model, messages: [...messages], stream: true })) {
    streamed += chunk.choices[0]?.delta.content ?? '';
  }
  const response = await client.responses.create({ model, input: 'What now?' });
  let responded = '';
  for await (const event of await client.responses.create({ model, input: 'What now?', stream: true })) {
    if (event.type === 'response.output_text.delta') responded += event.delta;
  }
  return [plain.choices[0]?.message.content, streamed, response.output_text, responded];
});

console.log(JSON.stringify(await asker()));
