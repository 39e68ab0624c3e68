// A process of its own (`fork`, or a worker of `cluster`) says something and ends, and the agent waits for one after the other: it listens for the end only once it has been told.
import { type ChildProcess, fork } from 'node:child_process';
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const say = tool('say', async (what: string) => {
  await pause(10);
  return `${what} ${Math.random()}`;
});

async function told(start: () => ChildProcess | Worker): Promise<string> {
  const topic = await say('a topic');
  const process = start();
  const [said] = await once(process, 'message');
  await once(process, 'exit');
  return say(`${topic}, ${said}`);
}

const [, script = '', way] = process.argv;
if (process.send !== undefined) {
  const said = await say('of the process');
  process.send(said, () => process.disconnect());
} else {
  const start = way === 'cluster' ? () => cluster.fork() : () => fork(script);
  process.stdout.write(`${await agent('telling', () => told(start))()}\n`);
}
