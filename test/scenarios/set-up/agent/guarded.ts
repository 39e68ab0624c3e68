// A program that asks for its setting with a deadline, and for another one that it does not wait for.
import { setTimeout as sleep } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const readSetting = tool(
  'read_setting',
  async (name: string, delayMs: number) => {
    await sleep(delayMs);
    return `${name} of then`;
  },
  { effect: 'read' },
);
const deadline = (ms: number): Promise<string> => sleep(ms, 'the default');
const limit = await Promise.race([readSetting('limit', 10), deadline(300)]);
const colour = await Promise.race([readSetting('colour', 400), deadline(100)]);
const work = agent('guarded', async () => `${limit}, ${colour}`);
console.log(await work());
process.exit();
