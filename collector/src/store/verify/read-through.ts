import { closeSync, existsSync, openSync, readSync } from 'node:fs';

const PIECE_BYTES = 1024 * 1024;

/**
 * Reads a file from one end to the other; throws what the system says where it does not give all of it. SQLite says of a sector that cannot be read what
 * it says of one that was written wrongly. A file that is not there is fine.
 */
export function readThrough(path: string): void {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(PIECE_BYTES);
    while (readSync(file, piece, 0, PIECE_BYTES, null) > 0);
  } finally {
    closeSync(file);
  }
}

/** In words, why a file cannot be read through; undefined where it can. */
export function failureOfReading(path: string): string | undefined {
  try {
    readThrough(path);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}
