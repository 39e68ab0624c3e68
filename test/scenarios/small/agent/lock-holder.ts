// Knows itself by the number of its process: as its modules load, by name, in the run, and in a process that it starts.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { getPriority } from 'node:os';
import process, { pid } from 'node:process';
import { fileURLToPath } from 'node:url';
import { agent, tool } from 'reenact';

interface Owner {
  readonly owner: number;
  readonly startedBy: number;
  readonly isParentThere: boolean;
}

const atStart = process.pid;
const takeLock = tool('take_lock', async ({ owner }: Owner) => `held by ${owner}`);
const compare = tool('compare', async (numbers: readonly number[]) => numbers.length);

if (process.argv[2] === 'child') {
  // As a server of a language looks whether its editor is still there.
  const isParentThere = process.kill(Number(process.argv[3]), 0) && process.kill(process.ppid, 0);
  console.log(await takeLock({ owner: process.pid, startedBy: process.ppid, isParentThere }));
} else {
  const hold = agent('holder', async () => {
    const isParentThere = process.kill(process.ppid, 0);
    const held = await takeLock({ owner: process.pid, startedBy: process.ppid, isParentThere });
    await compare([atStart, pid]);
    const told = once(process, 'SIGUSR2');
    // A program that only listens for a signal has nothing to wait for, and would end.
    const alive = setInterval(() => undefined, 1_000);
    process.kill(process.pid, 'SIGUSR2');
    await told;
    clearInterval(alive);
    const isThere = process.kill(process.pid, 0) && getPriority(process.pid) === getPriority();
    await once(fork(fileURLToPath(import.meta.url), ['child', String(process.pid)]), 'exit');
    return { held, isThere };
  });
  console.log(JSON.stringify(await hold()));
}
