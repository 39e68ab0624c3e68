// An agent that leaves by process.exit before anything could be exported.
import { agent, tool } from 'reenact';

const readPrice = tool('read_price', async () => ({ price: 190 }), { effect: 'read' });

const run = agent('hasty', async () => {
  const { price } = await readPrice();
  console.log(`price ${price}`);
  return price;
});

await run();
process.exit(3);
