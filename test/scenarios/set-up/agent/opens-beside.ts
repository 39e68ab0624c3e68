// A store that sets itself up from its constructor on, as those of agent frameworks do: the program does not wait for it, the agent does.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const execute = tool('execute', async (statement: string) => {
  await sleep(20);
  appendFileSync(process.env.EFFECTS_FILE ?? '', `${statement}\n`);
  return `${statement}: done`;
});

async function setUp(): Promise<string[]> {
  const first = await execute('set busy_timeout');
  const second = await execute('set journal_mode');
  return [first, second, await execute('set synchronous')];
}

const isSetUp = setUp();
const work = agent('opener', async () => {
  const settings = await isSetUp;
  return [...settings, await execute('create table'), await execute('select')].join(', ');
});
console.log(await work());
