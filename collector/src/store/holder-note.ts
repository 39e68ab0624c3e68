import { closeSync, fchmodSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file by which a command says that it has the data directory, for as long as its work takes, and a collector that it stops. */
const HOLDER_FILE = 'held-by-command';

/** The administrator runs the command, and the collector that waits for it is a user of its own. */
const READ_BY_ALL_MODE = 0o644;

/** Writes a file that is new: whoever the directory belongs to may have left a link there, which an administrator's command must not follow. */
function writeNew(path: string, text: string): void {
  const file = openSync(path, 'wx', READ_BY_ALL_MODE);
  try {
    writeFileSync(file, text);
    fchmodSync(file, READ_BY_ALL_MODE);
  } finally {
    closeSync(file);
  }
}

/** Says which command has a data directory. On a full disk nothing is said. */
export function noteHolder(dataDirectory: string, command: string): void {
  try {
    forgetHolder(dataDirectory);
    writeNew(join(dataDirectory, HOLDER_FILE), command);
  } catch {
    forgetHolder(dataDirectory);
  }
}

/** To be called by whoever has the lock: what a command that was killed has left is said of nobody else. */
export function forgetHolder(dataDirectory: string): void {
  try {
    rmSync(join(dataDirectory, HOLDER_FILE), { force: true });
  } catch {
    // Of use to others alone.
  }
}

/** Which command has a data directory that is in use; undefined where none says so, as where a collector has it and goes on. */
export function readHolder(dataDirectory: string): string | undefined {
  try {
    return readFileSync(join(dataDirectory, HOLDER_FILE), 'utf8');
  } catch {
    return undefined;
  }
}
