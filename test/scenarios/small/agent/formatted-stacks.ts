import { agent, tool } from 'reenact';

// As `source-map-support` formats stacks: it sorts the map of a file that it comes to, by random numbers.
Error.prepareStackTrace = (error, sites) => {
  const sorted = [...sites].sort(() => Math.random() - 0.5);
  return [String(error), ...sites.map((site) => `    at ${site}`)].slice(0, sorted.length + 1).join('\n');
};

const lookUp = tool('look_up', async (): Promise<string> => {
  throw new Error('the index is closed');
});
const roll = tool('roll', async (luck: number) => Math.ceil(luck * 6));

const roller = agent('roller', async () => {
  const found = await lookUp().catch(() => 'nothing');
  return `${found} ${await roll(Math.random())}`;
});

console.log(await roller());
