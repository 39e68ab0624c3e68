// A program that has run out of work and then, in `beforeExit`, sends what it has left: twice, after pauses that it draws.
import { setTimeout as sleep } from 'node:timers/promises';

const { ASKED_URL = '' } = process.env;

async function ask(path: string): Promise<void> {
  const answer = await fetch(`${ASKED_URL}${path}`);
  console.log(`${path}: ${answer.status} ${await answer.text()}`);
}

let isSent = false;
process.on('beforeExit', async () => {
  if (isSent) return;
  isSent = true;
  for (const part of ['first', 'last']) {
    await sleep(Math.random() * 50);
    await ask(`/rest/${part}/${Math.random()}`);
  }
});
await ask('/question');
