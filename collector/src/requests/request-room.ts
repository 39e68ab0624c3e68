import { randomBytes } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../store/files/write-whole.ts';
import { removeQuietly, requestDirectoryOf } from './store-request-files.ts';

/** In the folder of requests: a file that the next request is written over where the disk has no room for one. */
const ROOM_FILE = 'room';

/** More than a request has, a block of most file systems. */
const ROOM_BYTES = 4096;

/**
 * Keeps room for one request in a data directory, so that whoever asks for what makes room can do so on a disk without a byte left. Its bytes are
 * random, as a file system may keep others in no room at all. Gives whether it is there: where it could not be made, call again.
 */
export function keepRequestRoom(dataDirectory: string): boolean {
  const directory = requestDirectoryOf(dataDirectory);
  const path = join(directory, ROOM_FILE);
  try {
    // One that is smaller was left by who ended before it was written.
    if (statSync(path, { throwIfNoEntry: false })?.size === ROOM_BYTES) return true;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(path, randomBytes(ROOM_BYTES), { mode: 0o600 });
    return true;
  } catch {
    removeQuietly(path);
    return false;
  }
}

/** Writes a file of the folder of requests in the room that is kept for one; false where there is none. Throws where it is not enough. */
export function writeInRequestRoom(dataDirectory: string, path: string, content: string): boolean {
  try {
    renameSync(join(requestDirectoryOf(dataDirectory), ROOM_FILE), path);
  } catch (thrown) {
    // Nobody has made it, or somebody else asks at the same time.
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw thrown;
  }
  const file = openSync(path, 'r+');
  try {
    const bytes = Buffer.from(content);
    writeWhole(file, bytes);
    ftruncateSync(file, bytes.length);
  } finally {
    closeSync(file);
  }
  return true;
}
