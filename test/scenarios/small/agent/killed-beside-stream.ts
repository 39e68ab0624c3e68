// Is killed while it reads a stream of values, with a call for each of them: what each came to is on the disk, the last values are not.
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const values = tool('values', async function* () {
  for (let index = 0; ; index += 1) {
    await pause(10);
    yield index;
  }
});
const double = tool('double', async (value: number) => value * 2);

const rows = tool('rows', function* () {
  for (let index = 0; ; index += 1) yield index;
});

async function take(value: number): Promise<void> {
  console.log(`${value}: ${await double(value)}`);
  if (value === 80) process.kill(process.pid, 'SIGKILL');
}

async function read(): Promise<void> {
  for await (const value of values()) await take(value);
}

const [, , how] = process.argv;
if (how === 'agent') await agent('reading', read)();
else if (how === 'process') await read();
else
  for (const value of rows()) {
    await pause(10);
    await take(value);
  }
