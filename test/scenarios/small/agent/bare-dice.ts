// No agent around anything: the run is the process, and what it drew before its first call belongs to it.
import { randomUUID } from 'node:crypto';
import OpenAI from 'openai';

const id = randomUUID();
const startedAt = new Date().toISOString();
const openai = new OpenAI();
const answer = await openai.chat.completions.create({
  model: 'gpt-5-mini',
  messages: [{ role: 'user', content: `${id} at ${startedAt}, ${Math.random()}` }],
});
console.log(JSON.stringify({ id, startedAt, text: answer.choices[0]?.message.content }));
