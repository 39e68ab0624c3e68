// The tool is called from a queue that was set up before the run: its context is lost between the two.
import { EventEmitter } from 'node:events';
import { writeFileSync } from 'node:fs';
import { agent, tool } from 'reenact';

const charge = tool('charge', async ({ cents }: { cents: number }) => {
  if (process.env.SIDE_EFFECT_FILE !== undefined) writeFileSync(process.env.SIDE_EFFECT_FILE, String(cents));
  return { charged: cents };
});

const jobs: { cents: number; done: (outcome: unknown) => void }[] = [];
const wakeUp = new EventEmitter();
const loop = setInterval(() => wakeUp.emit('tick'), 5);
wakeUp.on('tick', () => {
  const job = jobs.shift();
  if (job !== undefined) charge({ cents: job.cents }).then(job.done, job.done);
});

const run = agent('queuer', async () => {
  const outcome = await new Promise((done) => jobs.push({ cents: 500, done }));
  return outcome instanceof Error ? `failed: ${outcome.name}` : outcome;
});

console.log(JSON.stringify(await run()));
clearInterval(loop);
