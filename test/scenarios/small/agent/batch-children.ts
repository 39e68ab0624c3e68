// A batch job with all that a process may have around its runs: a setting is read before the first and between them, and each run starts a
// program of its own, which asks a tool and draws a number.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { agent, tool } from 'reenact';

const [, script = '', role, ticket = ''] = process.argv;

const setting = tool(
  'setting',
  async (name: string) => {
    if (process.env.TOOL_MUST_NOT_RUN === '1') console.log(`the tool ran for ${name}`);
    return `${name} is on`;
  },
  { effect: 'read' },
);

const job = agent('job', async (id: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, [script, 'child', id]);
  return `${stdout.trim()}, ${await setting(`own ${id}`)}`;
});

async function goThrough(): Promise<void> {
  console.log(await setting('first'));
  for (const id of ['a', 'b', 'c']) console.log(`${await job(id)}, ${await setting(`after ${id}`)}`);
}

if (role === 'child') console.log(`${await setting(ticket)} ${Math.random()}`);
else await goThrough();
