// Two consumers of a queue in one process, whose jobs are runs side by side; REDIS_ADDRESS is where the queue is. What a consumer asks the queue stands in
// no run, and holds the time.
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { agent, ioredisClient, tool } from 'reenact';

const address = `redis://${process.env.REDIS_ADDRESS}`;
const results = ioredisClient(new Redis(address));

const look = tool('look', async (ms: number) => {
  await sleep(ms);
  if (ms === 1) throw new RangeError('no row');
  return ms * 10;
});

const work = agent('job', async (job: string) => {
  const found: number[] = [];
  for (const ms of job.split('+')) found.push(await look(Number(ms)));
  return found.join('+');
});

async function consume(): Promise<void> {
  const queue = ioredisClient(new Redis(address));
  for (;;) {
    const [, job = ''] = (await queue.blpop('jobs', 0)) ?? [];
    if (job === 'end') break;
    const outcome = await work(job).catch(String);
    await results.rpush('done', `${job} gave ${outcome} at ${Date.now()}`);
  }
  await queue.quit();
}

await Promise.all([consume(), consume()]);
console.log((await results.lrange('done', 0, -1)).join('\n'));
await results.quit();
