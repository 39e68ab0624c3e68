import { ChildProcess } from 'node:child_process';
import { type PatchSet, recordReading, renumber } from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';
import { withToldNumber } from './told-number.ts';

/**
 * Has the program know each process that it starts by the number that this had when the run was recorded, and tells it to that, which says the same. What the program
 * does to the process of that number it does to this one (`patchProcessId`).
 */
export function patchChildNumbers(patches: PatchSet, times: ActiveTimes): void {
  patches.wrap(ChildProcess.prototype, 'spawn', ({ self, parameters, proceed }) => {
    const [options, ...others] = parameters;
    const here = times.here();
    const recorded = here?.time.childProcessId(here.position);
    const result = proceed([withToldNumber(options, recorded), ...others]);
    const child = self as ChildProcess;
    // It may go on when nobody waits for it any more.
    if (child.pid !== undefined) here?.time.tellStarted(child.pid);
    if (typeof recorded === 'number') renumber(child, recorded);
    recordReading('child_process.pid', child.pid ?? null);
    return result;
  });
  patches.wrap(process.getBuiltinModule('node:child_process'), 'spawnSync', ({ proceed }) => {
    const here = times.here();
    const recorded = here?.time.childProcessId(here.position);
    const result = proceed() as { pid?: number };
    if (typeof recorded === 'number' && result.pid !== undefined && result.pid > 0) result.pid = recorded;
    recordReading('child_process.pid', result.pid ?? null);
    return result;
  });
}
