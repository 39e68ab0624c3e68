import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { CREATE_TABLES, INDEX_FILE, SUMMARY_VERSION } from '../database/schema.ts';
import { makePrivateFile } from '../files/private-file.ts';
import { reserveSharedMemory } from '../files/reserve-shared-memory.ts';
import {
  DATABASE_PAGE_BYTES,
  INDEX_LOG_BYTES_MAX,
  INDEX_READER_CACHE_BYTES,
  INDEX_WRITER_CACHE_BYTES,
} from '../limits.ts';
import type { TellOpening } from '../opening-step.ts';
import { matchSearchFile } from '../search/match-search-file.ts';
import { upgradeIndex } from './upgrade-index.ts';

/**
 * Opens the index for the one thread that writes it, making it where needed. NORMAL leaves commits unsynced: what a
 * power cut takes back is read from the log again. Deleted content is overwritten, in the index too. `keepsText` says whether
 * content can be searched; without it, what was kept before goes on. `memoryShare` is the part of its usual cache that it has.
 */
export function openIndex(
  dataDirectory: string,
  keepsText?: boolean,
  memoryShare = 1,
  tell: TellOpening = () => undefined,
): DatabaseSync {
  const database = new DatabaseSync(makePrivateFile(join(dataDirectory, INDEX_FILE)), { timeout: 10_000 });
  try {
    database.exec(`
      PRAGMA page_size = ${DATABASE_PAGE_BYTES};
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = ${INDEX_LOG_BYTES_MAX};
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = ${cacheSize(INDEX_WRITER_CACHE_BYTES, memoryShare)};
    `);
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'state'").get() === undefined) {
      database.exec(`BEGIN IMMEDIATE; ${CREATE_TABLES} PRAGMA user_version = ${SUMMARY_VERSION}; COMMIT`);
    }
    // Before there is much to write: what is written takes of this memory.
    reserveSharedMemory(join(dataDirectory, INDEX_FILE));
    upgradeIndex(database, keepsText, tell);
    matchSearchFile(database, dataDirectory);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Opens the index for reading beside its writer. */
export function openIndexForReading(dataDirectory: string, memoryShare = 1): DatabaseSync {
  const database = new DatabaseSync(join(dataDirectory, INDEX_FILE), { readOnly: true, timeout: 10_000 });
  database.exec(`PRAGMA cache_size = ${cacheSize(INDEX_READER_CACHE_BYTES, memoryShare)}`);
  return database;
}

/**
 * Copies the index's own log back into it from beside its writer, who goes on meanwhile. What the writer adds while this goes on is left;
 * once the writer has copied that too, it begins the log anew, unless somebody reads what is in it.
 */
export function copyBackIndexLog(dataDirectory: string): void {
  const database = new DatabaseSync(join(dataDirectory, INDEX_FILE), { timeout: 0 });
  try {
    database.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA wal_checkpoint(PASSIVE)');
  } finally {
    database.close();
  }
}

/** Bytes of the index's own log; 0 where there is none. */
export function indexLogBytes(dataDirectory: string): number {
  return statSync(join(dataDirectory, `${INDEX_FILE}-wal`), { throwIfNoEntry: false })?.size ?? 0;
}

/** The size of a cache as SQLite takes it: a negative number counts KiB instead of pages. */
function cacheSize(bytes: number, memoryShare: number): number {
  return -Math.ceil((bytes * memoryShare) / 1024);
}
