// Beats beside a stream, compresses and measures how long it took, so that a recording of it replays only if it holds where timers fired, work ended and parts came, and
// by which clock.
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { agent, tool } from 'reenact';

const words = tool('words', async function* () {
  for (const word of ['one', 'two', 'three']) {
    await pause(40);
    yield word;
  }
});

const compress = promisify(gzip);

const clockwork = agent('clockwork', async () => {
  const heard: string[] = [];
  const began = process.hrtime();
  const beat = setInterval(() => heard.push('beat'), 30);
  AbortSignal.timeout(50).addEventListener('abort', () => heard.push('late'));
  setImmediate(() => heard.push('turn'));
  // What is asked for last is over first, long before.
  const packing = [8_000_000, 10].map((size) => compress(Buffer.alloc(size)).then(() => heard.push(`packed ${size}`)));
  for await (const word of words()) heard.push(word);
  await Promise.all(packing);
  clearInterval(beat);
  const { timeOrigin } = performance;
  return { heard, began, took: process.hrtime(began), timeOrigin };
});

console.log(JSON.stringify(await clockwork()));
