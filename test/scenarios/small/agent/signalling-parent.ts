// Has a process work that it ends in every way there is: what listens there tells what it has done by then, and goes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { agent, tool } from 'reenact';

const [, script = '', role] = process.argv;
const take = tool('take', async (what: string) => `${what} is taken`);

async function work(): Promise<void> {
  let told = 0;
  process.on('SIGUSR2', async () => {
    told += 1;
    console.log(await take(`told ${told}`));
  });
  process.on('SIGTERM', async () => {
    console.log(await take('goodbye'));
    process.exit(3);
  });
  const lasting = setInterval(() => undefined, 1_000);
  console.log(await take('start'));
  lasting.ref();
}

/** Waits until a process has said so much, and gives all that it says in the end, with how it ended. */
async function followed(child: ChildProcess, steps: readonly (readonly [said: string, act: () => void])[]) {
  let said = '';
  child.stdout?.on('data', (piece) => {
    said += piece;
  });
  const closed = Promise.withResolvers<number | null>();
  child.on('close', closed.resolve);
  for (const [text, act] of steps) {
    while (!said.includes(text) && child.stdout !== null) await once(child.stdout, 'data');
    act();
  }
  const code = await closed.promise;
  return `${said.trim().replaceAll('\n', ', ')}, ended with ${code}`;
}

const end = agent('signalling', async () => {
  const killed = spawn(process.execPath, [script, 'child', 'killed']);
  const first = await followed(killed, [
    ['start', () => killed.kill('SIGUSR2')],
    ['told 1', () => process.kill(killed.pid ?? 0, 'SIGUSR2')],
    ['told 2', () => killed.kill()],
  ]);
  const ofGroup = spawn(process.execPath, [script, 'child', 'group'], { detached: true });
  const second = await followed(ofGroup, [['start', () => process.kill(-(ofGroup.pid ?? 0), 'SIGTERM')]]);
  const stop = new AbortController();
  const aborted = spawn(process.execPath, [script, 'child', 'aborted'], { signal: stop.signal });
  aborted.on('error', () => undefined);
  const third = await followed(aborted, [['start', () => stop.abort()]]);
  return { first, second, third, taken: await take([first, second, third].join()) };
});

if (role === 'child') await work();
else console.log(JSON.stringify(await end()));
