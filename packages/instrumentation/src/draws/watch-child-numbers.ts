import { ChildProcess } from 'node:child_process';
import { gate } from '../admission/current-gate.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { recordReading } from './record-draw.ts';

/** In a fork the replay keeps the number that it says. */
function keep(number: number | null): void {
  if (gate.dedicatedPlayer === undefined) recordReading('child_process.pid', number);
}

/**
 * Keeps, for the run around each start of a program, the number by which that knows the process: it stands in names, locks and lines of a log, and the
 * process itself may say it. What `execSync` and `execFileSync` start nobody knows by a number.
 */
export function watchChildNumbers(patches: PatchSet): void {
  patches.wrap(ChildProcess.prototype, 'spawn', ({ self, proceed }) => {
    const result = proceed();
    keep((self as ChildProcess).pid ?? null);
    return result;
  });
  patches.wrap(process.getBuiltinModule('node:child_process'), 'spawnSync', ({ proceed }) => {
    const result = proceed() as { readonly pid?: number };
    keep(result.pid ?? null);
    return result;
  });
}
