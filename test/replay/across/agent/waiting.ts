// An agent that, asked to, says of which replay it is and never ends by itself.
import { agent, tool } from 'reenact';

const look = tool('look', async (what: string) => `${what} is there`);
const watcher = agent('watcher', async () => {
  await look('the door');
  if (process.env.WAITS === undefined) return;
  console.log(JSON.stringify({ directory: process.env.REENACT_REPLAY }));
  await new Promise(() => setInterval(() => undefined, 1_000));
});
await watcher();
