// Draws numbers and reads the clock, so that a recording of it replays only if it holds what was drawn.
import { randomUUID } from 'node:crypto';
import { agent, tool } from 'reenact';

const draw = tool('draw', async (ticket: { id: string; lucky: number }) => ({ ...ticket, at: Date.now() }), {
  effect: 'read',
});
const announce = tool('announce', async (winner: string) => `${winner} ${process.env.LOTTERY_SUFFIX ?? 'wins'}`, {
  effect: 'read',
});
const pay = tool('pay', async (amount: number) => {
  process.stderr.write(`paid ${amount} for real\n`);
  return { paid: amount };
});

const lottery = agent('lottery', async () => {
  const ticket = await draw({ id: randomUUID(), lucky: Math.random() });
  const said = await announce(`${ticket.id} ${ticket.lucky} ${Math.random()}`);
  const extra = process.env.LOTTERY_PAYS_TWICE === '1' ? await pay(2) : undefined;
  return { said, ...(await pay(1)), ...extra, later: Date.now() >= ticket.at };
});

console.log(JSON.stringify(await lottery()));
