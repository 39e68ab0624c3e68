// Starts processes alike and otherwise of which only some make a call, and knows each by its number, as it knows itself.
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { agent, tool } from 'reenact';

interface Said {
  readonly pid: number;
  readonly isKnown?: unknown;
}

const [, script = '', role, name = ''] = process.argv;
const take = tool('take', async (by: string) => `${by} has it`);
const note = tool('note', async (numbers: readonly number[]) => numbers.length);

async function work(): Promise<void> {
  const [{ calls }] = (await once(process, 'message')) as [{ readonly calls: boolean }];
  if (calls) await take(`${name} ${process.pid} ${Math.random()}`);
  process.send?.({ pid: process.pid } satisfies Said);
  await once(process, 'message');
  process.disconnect();
}

function started([words, calls]: readonly [string, boolean]): ChildProcess {
  const child = fork(script, ['child', words]);
  child.send({ calls });
  return child;
}

const hold = agent('numbering', async () => {
  const children = (
    [
      ['x', false],
      ['x', true],
      ['y', false],
      ['x', true],
    ] as const
  ).map(started);
  const said = await Promise.all(children.map(async (child) => ((await once(child, 'message'))[0] as Said).pid));
  await note(said);
  // As they are told, by which they are reached.
  await note(children.map(({ pid = 0 }) => pid));
  const areThere = said.map((pid) => process.kill(pid, 0));
  const { pid } = spawnSync(process.execPath, [script, 'once'], { stdio: 'ignore' });
  await note([pid]);
  for (const child of children) {
    child.send('end');
    if (child.exitCode === null) await once(child, 'exit');
  }
  return { said, areThere };
});

if (role === 'child') await work();
else if (role === 'once') await take('once');
else console.log(JSON.stringify(await hold()));
