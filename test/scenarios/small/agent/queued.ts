import { agent, tool } from 'reenact';

interface Job {
  readonly work: () => Promise<string>;
  readonly done: (value: Promise<string>) => void;
}

// A queue that is worked off by a loop which began before every run: what it calls has lost the context of who put it there.
const jobs: Job[] = [];
let wake = (): void => undefined;

async function workOff(): Promise<never> {
  for (;;) {
    const job = jobs.shift();
    if (job === undefined) await new Promise<void>((resolve) => (wake = resolve));
    else job.done(job.work());
  }
}
void workOff();

const look = tool('look', async (place: string) => `${place} is fine`);
const asker = agent('asker', async () => {
  const queued = await new Promise<string>((done) => {
    jobs.push({ work: () => look('what was queued'), done });
    wake();
  });
  return [queued, await look('the rest')];
});

console.log(JSON.stringify(await asker()));
process.exit(0);
