import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { embed, streamText, ToolLoopAgent, tool } from 'ai';
import { agent } from 'reenact';
import { z } from 'zod';

const baseURL = process.env.PROVIDER_URL ?? '';
const openai = createOpenAI({ baseURL: `${baseURL}/v1` });
const anthropic = createAnthropic({ baseURL: `${baseURL}/v1` });

function mayRun(name: string): void {
  if (process.env.TOOLS_MUST_NOT_RUN === '1') throw new Error(`${name} ran`);
}

const tools = {
  get_quote: tool({
    description: 'The price of a share.',
    inputSchema: z.object({ symbol: z.string() }),
    execute: async ({ symbol }) => {
      mayRun('get_quote');
      return { symbol, price: Number(process.env.PRICE ?? Math.round(100 + Math.random() * 1000)), at: new Date() };
    },
  }),
  place_order: tool({
    description: 'Sells shares.',
    inputSchema: z.object({ symbol: z.string(), quantity: z.number() }),
    async *execute({ symbol, quantity }) {
      mayRun('place_order');
      yield { status: 'sent' };
      yield { status: 'filled', symbol, quantity, orderId: Math.random().toString(36) };
    },
  }),
};

const trader = new ToolLoopAgent({ id: 'trader', model: openai('gpt-4o'), tools, instructions: 'You trade.' });
/** One request of a customer, from the sale to its summary. */
const desk = agent('desk', async (prompt: string) => {
  const said = await trader.generate({ prompt });
  const streamed: string[] = [];
  const summary = streamText({ model: anthropic('claude-sonnet-4-5'), prompt: 'Summarise the order.' });
  for await (const text of summary.textStream) streamed.push(text);
  const { embedding } = await embed({ model: openai.embedding('text-embedding-3-small'), value: 'order' });
  // Steps whole, with the ids that the SDK draws, but for the times that it measures.
  const steps = said.steps.map((step) => ({ ...step, performance: undefined }));
  return { text: said.text, steps, streamed, dimensions: embedding.length };
});

process.stdout.write(`${JSON.stringify(await desk('Sell $1,000 worth of ACME.'))}\n`);
