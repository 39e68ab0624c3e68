// A program that makes an id and reads the clock before each of its runs, and hands them in.
import { randomUUID } from 'node:crypto';
import { agent, tool } from 'reenact';

const post = tool('post', async (message: object) => ({ taken: Object.keys(message).length }));
const round = agent('round', async (message: object) => post({ ...message, inside: Math.random() }));

for (let count = 0; count < 3; count += 1) {
  await round({ id: randomUUID(), atMs: Date.now(), on: new Date().toISOString(), by: Math.random() });
  await new Promise((resolve) => setTimeout(resolve, 5));
}
