import { writeFileSync } from 'node:fs';
import { tool } from 'reenact';

export class Order {
  readonly symbol: string;
  readonly shares: number;

  constructor(symbol: string, shares: number) {
    this.symbol = symbol;
    this.shares = shares;
  }

  get label(): string {
    return `${this.shares} ${this.symbol}`;
  }
}

export const getPrice = tool('get_price', async ({ symbol }: { symbol: string }) => ({ symbol, price: 190 }), {
  effect: 'read',
});

async function sendOrder(order: Order): Promise<{ label: string; value: number }> {
  const { price } = await getPrice({ symbol: order.symbol });
  const value = order.shares * price * Number(process.env.FACTOR ?? '1');
  // With LEDGER the tool's own code touches the world, which no boundary covers.
  if (process.env.LEDGER !== undefined) writeFileSync(process.env.LEDGER, `${order.label}\n`);
  return { label: order.label, value };
}

export const placeOrder = tool('place_order', sendOrder, { effect: 'destructive', values: [Order] });

/** The same code without its boundary, as somebody may name it by mistake. */
export const unwrapped = sendOrder;
