// A program that polls and never ends by itself. DIES: where it is killed from outside, `between` two calls or `inside` of one; POLLS: how
// it goes on, by a `timer` or by `waiting` for each answer.
import { setTimeout as sleep } from 'node:timers/promises';

const { DIES, POLLS, OPENAI_BASE_URL } = process.env;
let polls = 0;

async function poll(): Promise<void> {
  polls += 1;
  const isLast = polls === 3;
  const call = fetch(`${OPENAI_BASE_URL}/models`);
  if (isLast && DIES === 'inside') process.kill(process.pid, 'SIGKILL');
  const answer = await call;
  console.log(`poll ${polls}: ${answer.status}, ${(await answer.text()).length} characters`);
  if (isLast && DIES === 'between') process.kill(process.pid, 'SIGKILL');
}

if (POLLS === 'timer') setInterval(poll, 200);
else for (;;) await poll().then(() => sleep(100));
