import * as files from 'node:fs';

// Taken now: a replay gives processes the numbers that they had when the run was recorded, and its guard rewrites the module record.
const kill = process.kill.bind(process);
const { readFileSync } = { ...files };

/** On Linux a process that ended stays in the table until its parent has asked how. */
function hasEnded(processId: number): boolean {
  try {
    return /\) [ZX] /.test(readFileSync(`/proc/${processId}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** Whether no process of this machine has this number, or the one that has it has ended. Never throws. */
export function isGone(processId: number): boolean {
  try {
    kill(processId, 0);
    return hasEnded(processId);
  } catch (thrown) {
    // That of another user is there, too.
    return (thrown as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
