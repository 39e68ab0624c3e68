// An agent with one covered tool, and code beside it that no boundary covers: the module that ATTEMPTS names.
import { agent, tool } from 'reenact';
import { type Attempts, attemptAll } from './attempts.ts';

async function attemptsOf(module: string | undefined): Promise<Attempts> {
  if (module === undefined) return {};
  return ((await import(module)) as { attempts: Attempts }).attempts;
}

// What a module does while it loads comes before any context.
await attemptAll(await attemptsOf(process.env.ATTEMPTS_AT_START));

const look = tool('look', async (what: string) => {
  await attemptAll(await attemptsOf(process.env.ATTEMPTS_IN_TOOL));
  return { seen: what };
});

const main = agent('main', async () => {
  const { seen } = await look('the world');
  await attemptAll(await attemptsOf(process.env.ATTEMPTS));
  return seen;
});

await main();
// Sockets that an attempt has left open must not keep the process.
process.exit(0);
