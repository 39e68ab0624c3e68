// Starts a thread, as a pool does, in which the agent runs.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

await once(new Worker(new URL('./greeter-thread.ts', import.meta.url)), 'exit');
