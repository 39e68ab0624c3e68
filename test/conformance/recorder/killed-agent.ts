// An agent that works until it is killed. After each crossing, when it has the result, it says so by a synchronous write.
// Argument: the seed of what it does.
import { writeSync } from 'node:fs';
import { setTimeout as after } from 'node:timers/promises';
import { makeRun, RUN_STEPS } from './killed-run.ts';

// Whoever started it may be gone without a word: it does not work for nobody.
const parent = process.ppid;
const run = makeRun((witness) => writeSync(1, `${JSON.stringify(witness)}\n`));
let seed = Number(process.argv[2] ?? '1');

for (let first = 0; process.ppid === parent; first += RUN_STEPS) {
  seed = await run({ first, seed });
  await after(10);
}
