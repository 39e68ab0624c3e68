// Makes a report every EVERY_MS milliseconds, beside a server that tells whether it is well; ends with the second.
import { createServer } from 'node:http';
import { agent, tool } from 'reenact';

const everyMs = Number(process.env.EVERY_MS ?? 200);
const health = createServer((_request, response) => response.end('well')).listen(0, '127.0.0.1');

let made = 0;
const count = tool('count', async () => `${Math.random()}`);
const report = agent('report', async (day: number) => `day ${day}: ${await count()}`);

// Beats in between, and is no run.
let beats = 0;
const beating = setInterval(() => {
  beats += 1;
}, everyMs / 10);
const timer = setInterval(async () => {
  made += 1;
  if (made === 2) clearInterval(timer);
  const day = made;
  console.log(await report(day), beats > 0);
  if (day < 2) return;
  clearInterval(beating);
  health.close();
}, everyMs);
