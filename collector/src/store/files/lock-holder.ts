import { readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What the system says of each lock: whose, and of which file. */
const LOCK = /^\d+: \S+ +\S+ +\S+ (\d+) [\da-f]+:[\da-f]+:(\d+) /gm;

/** Whether a process has a file open. Another file system has files of the same number, and some name another device than its files do. */
function hasOpen(processId: string, file: string): boolean {
  const folder = `/proc/${processId}/fd`;
  return readdirSync(folder).some((descriptor) => attempt(() => readlinkSync(join(folder, descriptor))) === file);
}

/** What is asked of processes that end meanwhile, or belong to somebody else. */
function attempt<Result>(ask: () => Result): Result | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** A process that has a lock of a file; undefined where the system does not tell, as everywhere but on Linux, or of one of another container or user. */
export function lockHolderOf(path: string): number | undefined {
  return attempt(() => {
    const file = realpathSync(path);
    const inode = String(statSync(file, { bigint: true }).ino);
    const locks = [...readFileSync('/proc/locks', 'utf8').matchAll(LOCK)];
    const holder = locks.find(
      ([, processId = '', lockedInode]) => lockedInode === inode && attempt(() => hasOpen(processId, file)) === true,
    );
    return holder === undefined ? undefined : Number(holder[1]);
  });
}
