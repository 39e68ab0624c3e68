import { closeSync, openSync } from 'node:fs';

/** Permissions of files that hold what was recorded: their owner's alone. */
const PRIVATE_MODE = 0o600;

/**
 * Makes an empty file that its owner alone may read, where there is none. SQLite takes an empty file for a new database, and gives
 * the files it puts beside it the same permissions; those it makes by itself are for everyone to read.
 */
export function makePrivateFile(path: string): string {
  closeSync(openSync(path, 'a', PRIVATE_MODE));
  return path;
}
