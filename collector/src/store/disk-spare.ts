import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DISK_SPARE_BYTES, DISK_SPARE_SHARE_MAX } from './limits.ts';
import { fullDisk } from './store-error.ts';

/** A file that is there to be given up. */
export const SPARE_FILE = 'spare';

/** How many times its bytes must be free before it is made: it must not be what fills the disk. */
const ROOM_TIMES = 4;

/**
 * Keeps a file in a data directory that takes up some of its disk, so that there is room to delete runs once something else has taken all
 * that was left. Its bytes are random, as a file system may keep others in no room at all. One that cannot be made is tried again the next time.
 */
export async function keepSpare(dataDirectory: string): Promise<void> {
  const path = join(dataDirectory, SPARE_FILE);
  try {
    const { freeBytes, spareBytes } = spaceOf(dataDirectory);
    // One that was being made when its process was killed has less.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= spareBytes) return;
    if (freeBytes < spareBytes * ROOM_TIMES) return;
    await writeFile(path, await promisify(randomBytes)(spareBytes), { mode: 0o600 });
  } catch {
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Gives up the spare where less is free than it has, and says whether it did. A collector makes it again once there is room. */
export function giveUpSpare(dataDirectory: string): boolean {
  try {
    const { freeBytes, spareBytes } = spaceOf(dataDirectory);
    if (freeBytes >= spareBytes) return false;
    rmSync(join(dataDirectory, SPARE_FILE));
    return true;
  } catch {
    // What cannot be done without it says so.
    return false;
  }
}

/**
 * Throws ReenactError `store-failed`, as a full disk does, where what is free is for deletions: the spare that was given up, of which half may be
 * used otherwise. What can be made later and makes no room asks first.
 */
export function leaveRoomToDelete(dataDirectory: string): void {
  if (isForDeletions(dataDirectory)) throw fullDisk(dataDirectory);
}

function isForDeletions(dataDirectory: string): boolean {
  try {
    const { freeBytes, spareBytes } = spaceOf(dataDirectory);
    return freeBytes < spareBytes / 2;
  } catch {
    // Whoever writes there is told.
    return false;
  }
}

function spaceOf(directory: string): { readonly freeBytes: number; readonly spareBytes: number } {
  const { bavail, blocks, bsize } = statfsSync(directory);
  const spareBytes = Math.floor(Math.min(DISK_SPARE_BYTES, blocks * bsize * DISK_SPARE_SHARE_MAX));
  return { freeBytes: bavail * bsize, spareBytes };
}
