import { readFileSync, statSync } from 'node:fs';

/** What the system says of each lock: whose, and of which file. */
const LOCK = /^\d+: \S+ +\S+ +\S+ (\d+) [\da-f]+:[\da-f]+:(\d+) /gm;

/** A process that has a lock of a file; undefined where the system does not tell, as everywhere but on Linux, or of one of another container. */
export function lockHolderOf(path: string): number | undefined {
  try {
    const file = String(statSync(path).ino);
    const holders = [...readFileSync('/proc/locks', 'utf8').matchAll(LOCK)].filter(([, , inode]) => inode === file);
    return holders.map(([, processId]) => Number(processId)).find((processId) => processId > 0);
  } catch {
    return undefined;
  }
}
