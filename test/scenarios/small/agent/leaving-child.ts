// Starts a process and ends without it: that one goes on by itself, asks a tool twice, and ends.
import { spawn } from 'node:child_process';
import { agent, tool } from 'reenact';

const [, script = '', role, topic = ''] = process.argv;

const look = tool('look', async (what: string) => {
  if (process.env.TOOL_MUST_NOT_RUN === '1') process.kill(process.pid, 'SIGKILL');
  return `${what} is looked up`;
});

const leave = agent('leaving', async () => {
  const found = await look('start');
  spawn(process.execPath, [script, 'left', found], { detached: true, stdio: 'ignore' }).unref();
  return found;
});

if (role === 'left') await look(`${await look(topic)} ${process.env.ADDED ?? ''}`);
else console.log(await leave());
