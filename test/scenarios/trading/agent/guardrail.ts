import { guardrail } from 'reenact';
import type { Order } from './tools.ts';

/** What the check says of an order. */
export interface GuardrailVerdict {
  readonly allowed: boolean;
  readonly reason: string;
}

const SHARES_MAX = 1_000;

/** The check that was in production on the day: it looks at the number of shares and never at what the customer asked for. */
function checkShares(order: Order): GuardrailVerdict {
  const allowed = order.quantity <= SHARES_MAX;
  return {
    allowed,
    reason: allowed ? `${order.quantity} shares is within the limit of ${SHARES_MAX}.` : 'Too many shares.',
  };
}

/** The fix: what the order is worth must match the amount the customer named. */
function checkValue(order: Order, request: string, price: number): GuardrailVerdict {
  const asked = /\$\s?([\d,]+(?:\.\d+)?)/.exec(request)?.[1];
  if (asked === undefined) return checkShares(order);
  const dollars = Number(asked.replaceAll(',', ''));
  const value = order.quantity * price;
  if (value <= dollars * 1.05) return { allowed: true, reason: `$${value} matches the $${dollars} asked for.` };
  return {
    allowed: false,
    reason: `Blocked: the order is worth $${value.toLocaleString('en-US')}, the customer asked for $${dollars.toLocaleString('en-US')}.`,
  };
}

/** Decides whether an order may go out. ORDER_SIZE_FIX=on runs the fixed check. */
export const orderSize = guardrail(
  'order-size',
  ({ order, request, price }: { order: Order; request: string; price: number }): GuardrailVerdict =>
    process.env.ORDER_SIZE_FIX === 'on' ? checkValue(order, request, price) : checkShares(order),
);
