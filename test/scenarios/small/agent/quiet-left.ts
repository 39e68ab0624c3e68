// Starts a process that makes no call, and ends without it: that one goes on until it is alone.
import { spawn } from 'node:child_process';
import { agent } from 'reenact';

const [, script = '', role, starter] = process.argv;

const leave = agent('leaving', async () => {
  spawn(process.execPath, [script, 'left', String(process.pid)], { detached: true, stdio: 'ignore' }).unref();
});

if (role === 'left') {
  const look = setInterval(() => {
    if (process.ppid !== Number(starter)) clearInterval(look);
  }, 20);
} else await leave();
