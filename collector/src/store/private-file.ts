import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs';

/** Permissions of files that hold what was recorded: their owner's alone. */
const PRIVATE_MODE = 0o600;

/**
 * Makes an empty file that its owner alone may read, where there is none. SQLite takes an empty file for a new database, and gives
 * the files it puts beside it the same permissions; those it makes by itself are for everyone to read. One that is there is not opened:
 * the system lets go of all locks that a process has on a file where that closes any of its descriptors, SQLite's too.
 */
export function makePrivateFile(path: string): string {
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_MODE));
  // SQLite would open it for reading, and say of the first write that the disk fails.
  accessSync(path, constants.W_OK);
  return path;
}
