// Random values in tool arguments, from every source that is recorded; bytes only where that is asked for.
import nodeCrypto, { randomUUID } from 'node:crypto';
import { agent, tool } from 'reenact';

const book = tool('book', async (order: Record<string, unknown>) => order, { effect: 'read' });

const run = agent('gambler', async () => {
  const order: Record<string, unknown> = {
    id: randomUUID(),
    other: crypto.randomUUID(),
    chance: Math.random(),
    die: nodeCrypto.randomInt(1, 7),
  };
  if (process.env.DRAW_BYTES === '1') {
    order.bytes = nodeCrypto.randomBytes(8).toString('hex');
    order.values = Array.from(crypto.getRandomValues(new Uint32Array(2)));
    order.filled = nodeCrypto.randomFillSync(Buffer.alloc(6), 2, 3).toString('hex');
  }
  const booked = await book(order);
  const more = Array.from({ length: Number(process.env.MORE_DRAWS ?? '0') }, () => Math.random());
  return { booked, more };
});

console.log(JSON.stringify(await run()));
