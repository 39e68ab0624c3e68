// Beats beside a stream and measures how long it took, so that a recording of it replays only if it holds where timers fired, when parts came, and by which clock.
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const words = tool('words', async function* () {
  for (const word of ['one', 'two', 'three']) {
    await pause(40);
    yield word;
  }
});

const clockwork = agent('clockwork', async () => {
  const heard: string[] = [];
  const began = process.hrtime();
  const beat = setInterval(() => heard.push('beat'), 30);
  AbortSignal.timeout(50).addEventListener('abort', () => heard.push('late'));
  setImmediate(() => heard.push('turn'));
  for await (const word of words()) heard.push(word);
  clearInterval(beat);
  const { timeOrigin } = performance;
  return { heard, began, took: process.hrtime(began), timeOrigin };
});

console.log(JSON.stringify(await clockwork()));
