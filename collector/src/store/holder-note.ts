import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file by which a command says that it has the data directory, for as long as its work takes. */
const HOLDER_FILE = 'held-by-command';

/** Says which command has a data directory. On a full disk nothing is said. */
export function noteHolder(dataDirectory: string, command: string): void {
  try {
    writeFileSync(join(dataDirectory, HOLDER_FILE), command, { mode: 0o600 });
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

/** Which command has a data directory that is in use; undefined where none says so, as where a collector has it. */
export function readHolder(dataDirectory: string): string | undefined {
  try {
    return readFileSync(join(dataDirectory, HOLDER_FILE), 'utf8');
  } catch {
    return undefined;
  }
}
