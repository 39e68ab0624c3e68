// Timers that nobody waits for: an unref'd heartbeat, a callback that throws, a timer that is left over at the end.
import { agent, tool } from 'reenact';

const look = tool('look', async () => 'seen', { effect: 'read' });
const caught: string[] = [];
process.on('uncaughtException', (error) => caught.push(error.message));

let beats = 0;
const heartbeat = setInterval(() => {
  beats += 1;
}, 50);
heartbeat.unref();

const run = agent('loose', async () => {
  setTimeout(() => {
    throw new Error('thrown by a timer');
  }, 100);
  await new Promise((resolve) => setTimeout(resolve, 230));
  setTimeout(() => undefined, 3_600_000).unref();
  return { seen: await look(), caught, beats: beats > 0 };
});

console.log(JSON.stringify(await run()));
