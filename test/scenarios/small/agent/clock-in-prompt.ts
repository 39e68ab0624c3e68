// The time in the prompt to the millisecond, and one that a library keeps: both must be the recorded ones in a replay.
import OpenAI from 'openai';
import { agent, tool } from 'reenact';

const openai = new OpenAI();
const readPrice = tool('read_price', async ({ at }: { at: string }) => ({ at, price: 190 }), { effect: 'read' });

const run = agent('clock_watcher', async () => {
  const startedAt = Date.now();
  const { price } = await readPrice({ at: new Date().toISOString() });
  const answer = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `It is ${new Date().toISOString()}, ${Date()}; the price is ${price}.` }],
  });
  return { text: answer.choices[0]?.message.content, startedAt, tookMs: Date.now() - startedAt };
});

console.log(JSON.stringify(await run()));
