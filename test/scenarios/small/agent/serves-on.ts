import { createServer } from 'node:net';
import { tool } from 'reenact';

const open = tool('open', async () => 'opened');
const close = tool('close', async () => 'closed');

// A program that is ended from outside, and takes its leave; with ENDS=1 somebody ends it.
process.once('SIGTERM', async () => {
  console.log(await close());
  process.exit(7);
});
console.log(await open());
createServer().listen(0, '127.0.0.1', () => {
  if (process.env.ENDS === '1') process.kill(process.pid, 'SIGTERM');
});
