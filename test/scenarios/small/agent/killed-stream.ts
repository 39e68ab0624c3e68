// Is killed while it reads streams of values: one that a promise gave (`opened`), or one that is read synchronously (`rows`). A replay never gets so far.
import { setTimeout as pause } from 'node:timers/promises';
import { tool } from 'reenact';

const KILLED_AFTER = 60;

async function* words(): AsyncGenerator<string> {
  for (let index = 0; ; index += 1) {
    await pause(20);
    yield `word ${index}`;
  }
}

const opened = tool('opened', async (_context: string) => words());
// More than a frame of the spool holds that is written before the host goes on.
const context = process.argv[3] === 'large' ? 'context '.repeat(12_000) : '';
const rows = tool('rows', function* () {
  for (let index = 0; ; index += 1) yield { row: index };
});

function took(value: string, index: number): void {
  console.log(value);
  if (index + 1 === KILLED_AFTER) process.kill(process.pid, 'SIGKILL');
}

let read = 0;
if (process.argv[2] === 'rows') {
  for (const { row } of rows()) {
    took(`row ${row}`, read++);
    await pause(20);
  }
} else for await (const word of await opened(context)) took(word, read++);
