// An agent that dies of an uncaught error after a tool call, as in production.
import { agent, tool } from 'reenact';

const readPrice = tool('read_price', async () => ({ price: null as number | null }), { effect: 'read' });

const run = agent('crasher', async () => {
  const { price } = await readPrice();
  return (price as number).toFixed(2);
});

await run();
