// A program that reads its settings before the run begins, by the very call that the run makes again.
import { agent, tool } from 'reenact';

const readSetting = tool('read_setting', async (name: string) => `${name} of ${process.env.WORLD ?? 'then'}`, {
  effect: 'read',
});

const before = await readSetting('limit').catch((error: unknown) => (error as Error).message);
const during = await agent('configured', () => readSetting('limit'))();
console.log(JSON.stringify({ before, during }));
