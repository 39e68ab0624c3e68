import * as files from 'node:fs';
import { dirname } from 'node:path';

// Taken out of the module record, which the guard of a replay rewrites.
const { mkdirSync, statSync } = { ...files };

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Makes a directory and those above it that are missing, each for its owner alone. Throws the system's error. What Node.js does for
 * `recursive` never ends where the system says of an existing directory that it is not there: in one that was removed, and below `/proc`.
 */
export function makeDirectories(path: string): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectories(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    // Another process may have made it in between.
    if (!isDirectory(path)) throw thrown;
  }
}
