import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/**
 * Makes a directory and those above it that are missing, each for its owner alone, and gives the first that was made; undefined where
 * there was nothing to make. Throws the system's error. What Node.js does for `recursive` never ends below `/proc`, and says of a disk
 * that is read-only that a file is missing.
 */
export function makeDirectories(path: string): string | undefined {
  if (isDirectory(path)) return undefined;
  const above = dirname(path);
  const first = above === path ? undefined : makeDirectories(above);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (thrown) {
    // Somebody else may have made it in between.
    if (isDirectory(path)) return first;
    throw thrown;
  }
  return first ?? path;
}
