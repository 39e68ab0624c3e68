// What draws a pool of random numbers as it is loaded, as clients do that make the ids of their messages of it.
import { randomUUID } from 'node:crypto';
import { agent, tool } from 'reenact';

const pool = Array.from({ length: 4 }, () => Math.random());
const loaded = { by: randomUUID(), atMs: Date.now(), on: new Date().toISOString() };
const post = tool('post', async (message: object) => ({ taken: Object.keys(message).length }));

export const morning = agent('morning', async () => post({ id: pool.shift(), ...loaded }));
export const evening = agent('evening', async () => post({ id: pool.shift(), ...loaded }));
