// Does what JOBS says (see service-program.ts), each job in a run of its own, side by side, with a memory that all share.
import { setTimeout as pause } from 'node:timers/promises';
import { agent } from 'reenact';
import { ServiceMemory } from './service-memory.ts';
import type { Job } from './service-program.ts';

const memory = new ServiceMemory(process.env.PEER ?? '');

const job = agent('job', async ({ afterMs, program }: Job) => {
  if (afterMs > 0) await pause(afterMs);
  return memory.answer(program);
});

await Promise.all((JSON.parse(process.env.JOBS ?? '[]') as Job[]).map((one) => job(one)));
await memory.over();
