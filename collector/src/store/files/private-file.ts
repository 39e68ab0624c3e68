import { accessSync, chmodSync, closeSync, constants, existsSync, lstatSync, openSync, statSync } from 'node:fs';

/** Permissions of files that hold what was recorded: their owner's alone. */
const PRIVATE_MODE = 0o600;
const READ_BY_ALL = 0o004;

/** What SQLite keeps beside a database. */
const BESIDE_DATABASE = ['', '-wal', '-shm'];

/**
 * Makes an empty file that its owner alone may read, where there is none. SQLite takes an empty file for a new database, and gives
 * the files it puts beside it the same permissions; those it makes by itself are for everyone to read, as those of the first versions are:
 * these are made their owner's. What a group may read somebody has wanted so. One that is there is not opened:
 * the system lets go of all locks that a process has on a file where that closes any of its descriptors, SQLite's too.
 */
export function makePrivateFile(path: string): string {
  if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_MODE));
  for (const beside of BESIDE_DATABASE) takeFromOthers(`${path}${beside}`);
  // SQLite would open it for reading, and say of the first write that the disk fails.
  accessSync(path, constants.W_OK);
  return path;
}

function takeFromOthers(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & READ_BY_ALL) === 0) return;
  const user = process.getuid?.();
  // An administrator's command follows no link of whoever the directory belongs to: it could lead to any file of the system.
  if (user === 0 && lstatSync(path).isSymbolicLink()) return;
  // Permissions of a file are its owner's to say, whoever else may write to it.
  if (user === stats.uid || user === 0) chmodSync(path, PRIVATE_MODE);
}
