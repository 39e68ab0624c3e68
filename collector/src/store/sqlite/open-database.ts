import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model';
import { CHECKPOINT_PAGES, DATABASE_PAGE_BYTES } from '../../limits.ts';
import { CREATE_TABLES, DATABASE_FILE, FORMAT_VERSION, SUMMARY_VERSION } from './schema.ts';
import { toStoreError } from './store-error.ts';

/**
 * Opens the database of a data directory, making both where needed, for this process alone. Throws ReenactError
 * `store-failed` when that is not possible, `unsupported` when a newer version of Reenact wrote it.
 */
export function openDatabase(dataDirectory: string): DatabaseSync {
  const directory = resolve(dataDirectory);
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    database = new DatabaseSync(join(directory, DATABASE_FILE));
    configure(database);
    prepareFormat(database, directory);
    renewSummaries(database);
    return database;
  } catch (thrown) {
    database?.close();
    throw toStoreError(thrown, directory);
  }
}

/** A directory entry is durable only when the directory above it is synced too. */
function makeDirectory(directory: string): void {
  const first = mkdirSync(directory, { recursive: true });
  if (first === undefined) return;
  const parent = openSync(dirname(first), 'r');
  fsyncSync(parent);
  closeSync(parent);
}

/**
 * FULL syncs the write-ahead log at each commit: what was committed survives a power cut. EXCLUSIVE keeps a second
 * collector out for as long as this process lives, however it ends.
 */
function configure(database: DatabaseSync): void {
  database.exec(`
    PRAGMA page_size = ${DATABASE_PAGE_BYTES};
    PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};
    PRAGMA foreign_keys = OFF;
  `);
}

function prepareFormat(database: DatabaseSync, directory: string): void {
  database.exec('BEGIN EXCLUSIVE');
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'format_version'").get();
  if (table === undefined) {
    database.exec(CREATE_TABLES);
    database.prepare('INSERT INTO format_version VALUES (?)').run(FORMAT_VERSION);
  }
  const version = database.prepare('SELECT max(version) AS version FROM format_version').get()?.version;
  database.exec('COMMIT');
  if (version === FORMAT_VERSION) return;
  throw new ReenactError(
    'unsupported',
    `The data directory has format version ${version}, this collector knows ${FORMAT_VERSION}.`,
    {
      where: directory,
      next: 'Run the version of Reenact that wrote it, or a newer one.',
    },
  );
}

/** Summaries of another version are as good as none. */
function renewSummaries(database: DatabaseSync): void {
  if (database.prepare('PRAGMA user_version').get()?.user_version === SUMMARY_VERSION) return;
  database.exec(
    `BEGIN; UPDATE trace SET summary_revision = 0, summary = NULL; PRAGMA user_version = ${SUMMARY_VERSION}; COMMIT`,
  );
}
