// A tool that fails; the agent looks at everything a catch can look at and goes on.
import { agent, tool } from 'reenact';

class BrokerError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(message: string, code: string, status: number) {
    super(message, { cause: new RangeError('market closed') });
    this.name = 'BrokerError';
    this.code = code;
    this.status = status;
  }
}

const cancelOrder = tool(
  'cancel_order',
  async ({ orderId }: { orderId: number }) => {
    if (process.env.TOOL_MUST_NOT_RUN === '1') throw new Error('the tool ran');
    throw new BrokerError(`order ${orderId} is gone`, 'ORDER_GONE', 410);
  },
  { errors: [BrokerError] },
);

const run = agent('canceller', async () => {
  try {
    await cancelOrder({ orderId: Number(process.env.ORDER_ID ?? '7') });
    return 'cancelled';
  } catch (error) {
    if (!(error instanceof BrokerError)) return `not a BrokerError: ${String(error)}`;
    const { name, message, code, status, cause } = error;
    return JSON.stringify({ name, message, code, status, cause: String(cause) });
  }
});

console.log(await run());
