import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { tool } from 'reenact';
import { BrokerError } from './broker-error.ts';

/** One order as the model asks for it. */
export interface Order {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  /** Number of shares. */
  readonly quantity: number;
}

const holdings: Record<string, number> = { ACME: 25_000, GLOBEX: 40 };
const prices: Record<string, number> = { ACME: 190, GLOBEX: 12.5 };

/** Shares the account holds. */
export const getPosition = tool(
  'get_position',
  async ({ symbol }: { symbol: string }) => {
    await delay(20);
    return { symbol, shares: holdings[symbol] ?? 0, asOf: new Date('2026-11-17T15:14:00Z') };
  },
  { effect: 'read' },
);

/** Last traded price. */
export const getQuote = tool(
  'get_quote',
  async ({ symbol }: { symbol: string }) => {
    await delay(5);
    const price = prices[symbol];
    if (price === undefined) throw new BrokerError(`There is no symbol ${symbol}.`, 'UNKNOWN_SYMBOL', 404);
    return { symbol, price, currency: 'USD' };
  },
  { effect: 'read', errors: [BrokerError] },
);

/** Sends the order to the market: the side effect nobody wants to see twice. Writes one row in the ledger file. */
export const placeOrder = tool(
  'place_order',
  async (order: Order) => {
    const ledger = new DatabaseSync(process.env.TRADING_LEDGER ?? 'ledger.sqlite');
    try {
      ledger.exec(
        'CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, symbol TEXT, side TEXT, quantity INTEGER, price REAL)',
      );
      const price = prices[order.symbol] ?? 0;
      const { lastInsertRowid } = ledger
        .prepare('INSERT INTO orders (symbol, side, quantity, price) VALUES (?, ?, ?, ?)')
        .run(order.symbol, order.side, order.quantity, price);
      return { orderId: Number(lastInsertRowid), filled: order.quantity, value: order.quantity * price };
    } finally {
      ledger.close();
    }
  },
  { effect: 'destructive' },
);
