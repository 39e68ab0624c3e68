// Keeps what a run gave in a file of FOLDER, by itself, once the run has ended; as VIA says also otherwise.
import { spawnSync } from 'node:child_process';
import { createWriteStream, existsSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { finished } from 'node:stream/promises';
import { setTimeout as after } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const way = process.env.VIA ?? '';
const file = join(process.env.FOLDER ?? '', 'answer.txt');
const ask = tool('ask', (question: string) => `forty-two to ${question}`);
let late: Promise<void> | undefined;
const wait = tool('wait', async () => void (await after(200)));
const inner = agent('inner', (answer: string) => {
  late = after(20).then(() => handled(answer));
});
const worker = agent('worker', async (answer: string) => {
  await wait();
  handled(answer);
});

const run = agent('keeper', async (question: string) => {
  const answer = ask(question);
  if (way === 'late') late = after(20).then(() => writeFileSync(file, answer));
  if (way === 'late-caught') late = after(20).then(() => handled(answer));
  if (way === 'inner') inner(answer);
  if (way === 'set-going') late = worker(answer);
  if (way === 'inner' || way === 'meanwhile' || way === 'read') await wait();
  if (way !== 'read') return answer;
  return existsSync(file) ? 'kept' : 'lost';
});

function handled(answer: string): void {
  try {
    writeFileSync(file, answer);
  } catch (thrown) {
    console.log(`not kept: ${(thrown as { code?: string }).code}`);
  }
}

const ways: Readonly<Record<string, (answer: string) => unknown>> = {
  write: (answer) => writeFileSync(file, answer),
  promise: (answer) => writeFile(file, answer),
  stream: (answer) => finished(createWriteStream(file).end(answer)),
  database: () => new DatabaseSync(`${file}.db`).close(),
  program: () => spawnSync('touch', [file]),
  handled,
  between: handled,
  beside: handled,
  late: () => late,
  inner: () => late,
  'set-going': () => late,
  'late-caught': () => late,
};

const kept = Promise.withResolvers<void>();
const slowly = agent('waiter', () => kept.promise);
const waiting = way === 'beside' ? slowly() : undefined;
const running = run('how many?');
if (way === 'meanwhile' || way === 'read') handled('forty-two');
const answer = await running;
await ways[way]?.(answer);
kept.resolve();
await waiting;
if (way === 'between' || way === 'late-caught') await slowly();
console.log(answer);
