// An agent that has a child process work, and then two agents side by side, all until they are told to stop.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { agent, tool } from 'reenact';

const { POLLED_URL = '' } = process.env;
const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());

const work = tool('work', async (name: string) => (await fetch(`${POLLED_URL}/jobs/${name}`)).json(), {
  effect: 'read',
});

async function workOn(name: string): Promise<number> {
  let count = 0;
  for (; !stop.signal.aborted; count += 1) await work(name);
  return count;
}

const first = agent('first', () => workOn('first'));
const second = agent('second', () => workOn('second'));
const parent = agent('parent', async () => {
  const child = fork(process.argv[1] ?? '', ['child']);
  console.log(JSON.stringify({ child: child.pid }));
  const [code] = (await once(child, 'exit')) as [number];
  return `child ended with ${code}`;
});

if (process.argv[2] === 'child') {
  const asked = fetch(`${POLLED_URL}/slow`, { signal: stop.signal });
  process.exitCode = await asked.then(
    () => 1,
    () => 4,
  );
} else {
  console.log(await parent());
  console.log(JSON.stringify(await Promise.all([first(), second()])));
}
