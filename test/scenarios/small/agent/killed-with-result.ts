// Kills itself in the turn in which it has got a result that is too large to be written on the way: WAITS=1: of an asynchronous tool, with a
// call after it; else of a synchronous one. When it is replayed nobody is killed.
import { agent, tool } from 'reenact';

const fetched = tool('fetched', async () => 'y'.repeat(200_000), { effect: 'read' });
const made = tool('made', () => 'z'.repeat(200_000), { effect: 'read' });
const counted = tool('counted', (characters: number) => characters, { effect: 'read' });

const killed = agent('killed', async () => {
  if (process.env.WAITS === '1') counted((await fetched()).length);
  else made();
  if (process.env.DIES === '1') process.kill(process.pid, 'SIGKILL');
});

await killed();
