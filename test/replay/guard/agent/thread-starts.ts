import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Attempts, ending } from './attempts.ts';

const code = (name: string): string => `require('node:fs').writeFileSync('${name}', 'x')`;
const programPath = join(tmpdir(), 'thread-start.cjs');
writeFileSync(programPath, code('made-by-a-file.txt'));

/** Threads, each of which would make a file of its own. */
export const attempts: Attempts = {
  'worker_threads.Worker': () => ending(new Worker(code('worker.txt'), { eval: true }), 'exit'),
  'worker_threads.Worker of another class': () => {
    class OwnWorker extends Worker {}
    return ending(new OwnWorker(programPath), 'exit');
  },
};
