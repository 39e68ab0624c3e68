import { tool } from 'reenact';

/** What the tools of both frameworks do; in a replay they must not. */
export const placeOrder = tool('place_order', async ({ symbol, quantity }: { symbol: string; quantity: number }) => {
  if (process.env.TOOLS_MUST_NOT_RUN === '1') throw new Error('place_order ran');
  return { symbol, quantity, orderId: `order-${Math.random().toString(36).slice(2)}` };
});
