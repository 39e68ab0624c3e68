// A worker that is given jobs and waits for the next one until it is told to stop.
import { agent, tool } from 'reenact';

const book = tool('book', async (job: string) => ({ booked: job, number: Math.random() }), { effect: 'write' });
const work = agent('job', async (job: string) => book(job));

const jobs = ['one', 'two'];
let isStopping = false;
process.once('SIGTERM', () => {
  isStopping = true;
});
while (!isStopping) {
  const job = jobs.shift();
  if (job !== undefined) console.log(JSON.stringify(await work(job)));
  else if (process.env.ENDS === '1') break;
  else await new Promise((resolve) => setTimeout(resolve, 20));
}
