import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { z } from 'zod';
import { placeOrder } from './order-tools.ts';

// Its own trace exporter would send to the provider.
setTracingDisabled(true);

const trader = new Agent({
  name: 'trader',
  model: 'gpt-4o',
  instructions: 'You trade.',
  tools: [
    tool({
      name: 'place_order',
      description: 'Sells shares.',
      parameters: z.object({ symbol: z.string(), quantity: z.number() }),
      execute: (order) => placeOrder(order),
    }),
  ],
});

const { finalOutput, history } = await run(trader, 'Sell $1,000 worth of ACME.');

const streamed = await run(trader, 'Sell $1,000 worth of ACME.', { stream: true });
const events: unknown[] = [];
for await (const event of streamed) {
  if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta') events.push(event.data.delta);
}
await streamed.completed;

process.stdout.write(`${JSON.stringify({ finalOutput, history, events })}\n`);
