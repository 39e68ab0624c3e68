// Sends itself a signal that it listens for, and waits for nothing else than that: what keeps the process is a connection of a tool's. And it starts a process by a shell that is a program of its own.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { agent, tool } from 'reenact';

const [, script = '', role] = process.argv;
const take = tool('take', async (what: string) => `${what} is taken`);
const open = tool('open', async () => {
  setTimeout(() => undefined, 1_000);
});

const signal = agent('signalling-itself', async () => {
  const heard = Promise.withResolvers<string>();
  process.once('SIGINT', async () => heard.resolve(await take('signal')));
  await open();
  process.kill(process.pid, 'SIGINT');
  const first = await heard.promise;
  const second = await text(spawn('/bin/sh', ['-c', `node ${script} child`]).stdout);
  return [first, second.trim()];
});

if (role === 'child') console.log(await take('child'));
else console.log(JSON.stringify(await signal()));
