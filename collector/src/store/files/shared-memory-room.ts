import { type StatsFs, statfsSync } from 'node:fs';
import { toStoreError } from '../store-error.ts';

/** SQLite sees to it that a block is there for each of these bytes of memory that its connections share: a page of most systems. */
export const SHARED_PAGE_BYTES = 4096;

/** Memory that is shared for a database, which a disk of small blocks is asked for at once: enough for a log of 64,000 pages. */
export const SHARED_RESERVE_BYTES = 512 * 1024;

/** What the index and the search file share at least, with what they write as they are opened. */
const ROOM_BYTES = 2 * SHARED_RESERVE_BYTES + 256 * 1024;

type Space = Pick<StatsFs, 'bavail' | 'blocks' | 'bsize'>;

/**
 * Throws ReenactError `store-failed` where a disk is full whose blocks are smaller than a page, as of small file systems of ext4: memory that SQLite
 * maps from a file would lack blocks within its pages, and the system ends a process that writes there, without a word.
 */
export function needRoomForSharedMemory(directory: string, statfs: (path: string) => Space = statfsSync): void {
  const { bavail, blocks, bsize } = statfs(directory);
  // Some file systems in user space do not say how large they are: nobody knows that such a one is full.
  if (blocks === 0) return;
  if (bsize >= SHARED_PAGE_BYTES || bavail * bsize >= ROOM_BYTES) return;
  throw toStoreError(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }), directory);
}
