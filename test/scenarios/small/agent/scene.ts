// A bug that nothing reports: the order is placed for nobody, with a quantity that is text.
import { agent, tool } from 'reenact';
import { z } from 'zod';

const placeOrder = tool('place_order', async (order: object) => ({ placed: order }), {
  requires: ['user.id'],
  input: z.object({ symbol: z.string(), shares: z.number().int() }),
});
const trader = agent('trader', async () => placeOrder({ symbol: 'ACME', shares: '1000' }));

console.log(JSON.stringify(await trader()));
