import { existsSync, fstatSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { SHARED_PAGE_BYTES, SHARED_RESERVE_BYTES } from './shared-memory-room.ts';
import { writeWhole } from './write-whole.ts';

/**
 * Gives the memory that connections to a database share all of its blocks at once, where blocks are smaller than a page: SQLite takes one block of
 * each page, and where the disk is full when another part of the page is first written to, the system ends the process (SIGBUS). To be called by the
 * first connection, once it has read or written, while there is no other: what is there is read and written back. Throws where the disk lacks room.
 */
export function reserveSharedMemory(
  databasePath: string,
  blockBytes: number = statfsSync(databasePath).bsize,
  write: typeof writeSync = writeSync,
): void {
  const path = `${databasePath}-shm`;
  if (!existsSync(path) || blockBytes >= SHARED_PAGE_BYTES) return;
  // Never closed: the system would let go of the locks that SQLite has on this file with any descriptor of it.
  const file = openSync(path, 'r+');
  const content = Buffer.alloc(Math.max(fstatSync(file).size, SHARED_RESERVE_BYTES));
  readSync(file, content, 0, content.length, 0);
  writeWhole(file, content, write);
}
