// A program that asks over and over and never ends by itself. DIES: where it is killed from outside, `between` two calls, `inside` of one or
// while it `reads` an answer; POLLS: how it goes on, by a `timer` or by `waiting` for each answer. `LEAVES=1`: nobody reads the answers.
import { setTimeout as sleep } from 'node:timers/promises';

const { DIES, POLLS, LEAVES, POLLED_URL = '' } = process.env;
const decoder = new TextDecoder();
let polls = 0;

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function poll(): Promise<void> {
  polls += 1;
  const isLast = polls === 3;
  const call = fetch(POLLED_URL);
  if (isLast && DIES === 'inside') die();
  const answer = await call;
  console.log(`poll ${polls}: ${answer.status}`);
  if (LEAVES !== '1') {
    for await (const piece of answer.body ?? []) console.log(`piece of ${polls}: ${decoder.decode(piece)}`);
  }
  if (isLast && DIES === 'between') die();
}

// Long enough for what had come of an answer to be written down.
if (DIES === 'reads') setTimeout(die, 2_000);
if (POLLS === 'timer') setInterval(poll, 400);
else for (;;) await poll().then(() => sleep(400));
