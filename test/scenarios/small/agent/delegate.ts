// The program that delegator.ts starts: it asks a tool and a model about a symbol. PROMPT is what a change of the code would change.
import { appendFileSync } from 'node:fs';
import OpenAI from 'openai';
import { agent, tool } from 'reenact';

const [symbol = ''] = process.argv.slice(2);
const openai = new OpenAI();

const quote = tool('quote', ({ symbol: asked }: { symbol: string }) => {
  if (process.env.SIDE_EFFECT_FILE !== undefined) appendFileSync(process.env.SIDE_EFFECT_FILE, `${asked}\n`);
  return `${asked} is at ${asked.length * 10}`;
});

const delegate = agent('delegate', async (given: string) => {
  const price = quote({ symbol: given });
  const answer = await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: `${process.env.PROMPT ?? 'Buy?'} ${price}` }],
  });
  return { price, drawn: Math.random(), said: answer.choices[0]?.message.content };
});

const said = await delegate(symbol);
if (process.send === undefined) console.log(JSON.stringify(said));
else process.send(said, () => process.disconnect());
