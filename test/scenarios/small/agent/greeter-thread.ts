import { isMainThread } from 'node:worker_threads';
import { agent, tool } from 'reenact';

const greeting = tool('greeting', async (name: string) => `Hello ${name}`, { effect: 'read' });

export const greet = agent('greeter', async (name: string) => ({ text: await greeting(name) }));

if (!isMainThread) await greet('Ada');
