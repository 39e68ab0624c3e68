import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { IndexState } from '../database/index-state.ts';
import { makePrivateFile } from '../files/private-file.ts';
import {
  SEARCH_CACHE_BYTES,
  SEARCH_CHECKPOINT_PAGES,
  SEARCH_HASH_BYTES,
  SEARCH_LEAF_BYTES,
  SEARCH_PAGE_BYTES,
} from '../limits.ts';

/** Name of the file that runs are found in by their words. */
export const SEARCH_FILE = 'search.sqlite';

/** Version of what the file holds, kept in SQLite's `user_version`. A file of another version is made again: those of 2 may hold words of runs that were deleted. */
const SEARCH_VERSION = 3;

/**
 * `content` has a row for each run that was summarised, also for one without texts, and says which revision of the run they are of.
 * `search` holds words in order and no text, and lets go of them at once when they are taken out. Words are folded before
 * they come here (folded-words.ts), so that all that is left to the tokenizer is to split them at spaces.
 */
const CREATE_TABLES = `
CREATE TABLE state (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE content (trace INTEGER PRIMARY KEY, revision INTEGER NOT NULL, texts BLOB);
CREATE VIRTUAL TABLE search USING fts5 (words, content = '', tokenize = 'ascii');
INSERT INTO search (search, rank) VALUES ('secure-delete', 1);
INSERT INTO search (search, rank) VALUES ('pgsz', ${SEARCH_LEAF_BYTES});
INSERT INTO search (search, rank) VALUES ('hashsize', ${SEARCH_HASH_BYTES});
PRAGMA user_version = ${SEARCH_VERSION};
`;

/** What says which index a search file belongs to, and how much of it was written. */
export interface SearchStamp {
  /** The same number is in the index. */
  readonly id: number;
  /** Grows with each change; the index remembers one that the file has reached. */
  readonly generation: number;
}

/** Where the search file of a data directory is. */
export function searchPathOf(dataDirectory: string): string {
  return join(dataDirectory, SEARCH_FILE);
}

/** Opens the search file for the one thread that writes it. Each of its commits is synced: an index never knows more than the file holds. */
export function openSearchFile(dataDirectory: string, memoryShare = 1): DatabaseSync {
  const database = new DatabaseSync(makePrivateFile(searchPathOf(dataDirectory)), { timeout: 10_000 });
  try {
    database.exec(`
      PRAGMA page_size = ${SEARCH_PAGE_BYTES};
      PRAGMA auto_vacuum = INCREMENTAL;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA wal_autocheckpoint = ${SEARCH_CHECKPOINT_PAGES};
      PRAGMA secure_delete = ON;
      PRAGMA cache_size = ${-Math.ceil((SEARCH_CACHE_BYTES * memoryShare) / 1024)};
    `);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Makes a new, empty search file of this number in place of whatever is there. */
export function createSearchFile(dataDirectory: string, id: number): void {
  removeSearchFile(dataDirectory);
  const database = openSearchFile(dataDirectory);
  try {
    database.exec(`BEGIN IMMEDIATE; ${CREATE_TABLES}`);
    new IndexState(database).write('id', id);
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

/** The stamp of a search file; undefined where there is none, or none that this version can use. */
export function readSearchStamp(dataDirectory: string): SearchStamp | undefined {
  if (!existsSync(searchPathOf(dataDirectory))) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = openSearchFile(dataDirectory);
    if (database.prepare('PRAGMA user_version').get()?.user_version !== SEARCH_VERSION) return undefined;
    const state = new IndexState(database);
    return { id: state.read('id'), generation: state.read('generation') };
  } catch {
    // Whatever is the matter with it: everything in it can be made again.
    return undefined;
  } finally {
    database?.close();
  }
}

/** Removes the search file; its log first, which SQLite would otherwise take for that of the next one. */
export function removeSearchFile(dataDirectory: string): void {
  for (const suffix of ['-wal', '-shm', '']) rmSync(`${searchPathOf(dataDirectory)}${suffix}`, { force: true });
}
