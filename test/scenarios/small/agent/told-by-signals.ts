// An agent that works until it is told to stop. What hears of that was set up before and outside of it, and calls a tool of its own.
import { agent, tool } from 'reenact';

const { POLLED_URL = '' } = process.env;
const work = tool('work', async (mode: string) => (await fetch(`${POLLED_URL}/jobs/${mode}`)).json(), {
  effect: 'read',
});
const note = tool('note', async (text: string) => `noted: ${text}`);
let mode = 'plain';

process.on('SIGUSR2', () => {
  mode = 'careful';
});
process.once('SIGTERM', async (signal) => {
  console.log(await note(`${signal} while ${mode}`));
  mode = 'over';
});

const worker = agent('worker', async () => {
  const done: unknown[] = [];
  while (mode !== 'over') done.push(await work(mode));
  return done;
});
console.log('started');
console.log(JSON.stringify(await worker()));
