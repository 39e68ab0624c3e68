// Three identical tools at once; DELAYS_MS says how long each takes, START_ORDER in which order they are called.
import { setTimeout as delay } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const delaysMs = (process.env.DELAYS_MS ?? '60,40,20').split(',').map(Number);
const startOrder = (process.env.START_ORDER ?? '0,1,2').split(',').map(Number);

const fetchPart = tool(
  'fetch_part',
  async ({ part }: { part: number }) => {
    await delay(delaysMs[part]);
    return `output of part ${part}`;
  },
  { effect: 'read' },
);

const collect = agent('collector', async () => {
  const settled: number[] = [];
  const outputs: string[] = [];
  const calls = startOrder.map(async (part) => {
    outputs[part] = await fetchPart({ part });
    settled.push(part);
  });
  await Promise.all(calls);
  return { outputs, settled };
});

console.log(JSON.stringify(await collect()));
