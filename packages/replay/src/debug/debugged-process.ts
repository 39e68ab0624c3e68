import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

const name = 'debugged';

/** Whether this process is the one that gets the debugger: the first of a replay that runs code of the agent, for one has one port. */
export function claimDebugger(directory: string): boolean {
  try {
    closeSync(openSync(join(directory, name), 'wx', 0o600));
    return true;
  } catch {
    return false;
  }
}

/** Whether a process of a replay has waited for a debugger, or has stopped waiting. */
export function isDebuggerClaimed(directory: string): boolean {
  return existsSync(join(directory, name));
}
