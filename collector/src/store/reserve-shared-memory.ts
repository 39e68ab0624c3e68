import { existsSync, fstatSync, openSync, readSync, statfsSync, writeSync } from 'node:fs';
import { INDEX_SHARED_BYTES, SHARED_PAGE_BYTES } from './shared-memory-room.ts';

/**
 * Gives the memory that connections to a database share all of its blocks at once, where blocks are smaller than a page: SQLite takes one block of
 * each page, and where the disk is full when another part of the page is first written to, the system ends the process (SIGBUS). To be called by the
 * first connection while there is no other: what is there is read and written back.
 */
export function reserveSharedMemory(databasePath: string): void {
  const path = `${databasePath}-shm`;
  if (!existsSync(path) || statfsSync(path).bsize >= SHARED_PAGE_BYTES) return;
  // Never closed: the system would let go of the locks that SQLite has on this file with any descriptor of it.
  const file = openSync(path, 'r+');
  const content = Buffer.alloc(Math.max(fstatSync(file).size, INDEX_SHARED_BYTES));
  readSync(file, content, 0, content.length, 0);
  writeSync(file, content, 0, content.length, 0);
}
