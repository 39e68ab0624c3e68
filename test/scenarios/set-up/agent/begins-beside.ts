// A store that sets itself up beside the first run: before that began, the program had called nothing.
import { appendFileSync } from 'node:fs';
import { agent, tool } from 'reenact';

const execute = tool('execute', async (statement: string) => {
  appendFileSync(process.env.EFFECTS_FILE ?? '', `${statement}\n`);
  return `${statement}: done ${Math.random()}`;
});

async function setUp(): Promise<string> {
  await undefined;
  const settings = await execute('set journal_mode');
  return `${settings} ${await execute('set synchronous')} at ${Date.now()}`;
}

const isSetUp = setUp();
const work = agent('beginner', async () =>
  [await execute('select'), await isSetUp, await execute('insert')].join(', '),
);
console.log(await work());
