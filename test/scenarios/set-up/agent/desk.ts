// An agent whose module reads its settings when it is loaded.
import { agent, tool } from 'reenact';

const readSetting = tool('read_setting', async (name: string) => `${name} of ${process.env.WORLD ?? 'then'}`, {
  effect: 'read',
});
const limit = await readSetting(process.env.SETTING ?? 'limit');

/** Answers with the setting that was read before, and reads it once more. */
export const answer = agent('desk', async (question: string) => ({
  question,
  limit,
  now: await readSetting('limit'),
}));
