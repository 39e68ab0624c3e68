// The bug depends on which of two parallel tools finishes first: the last one to write wins.
import { agent, tool } from 'reenact';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const source = tool(
  'source',
  async ({ name, ms }: { name: string; ms: number }) => {
    await wait(ms);
    return name;
  },
  { effect: 'read' },
);

const run = agent('racer', async () => {
  let latest = '';
  const note = async (name: string, ms: number): Promise<void> => {
    latest = await source({ name, ms });
  };
  await Promise.all([note('fast', 30), note('slow', 31), wait(10).then(() => note('late', 5))]);
  return latest;
});

console.log(await run());
