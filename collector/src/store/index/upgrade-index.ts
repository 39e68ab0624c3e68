import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from './index-state.ts';
import { SUMMARY_VERSION } from './schema.ts';
import { ADDED_TRACE_COLUMNS, CREATE_RUN_INDEXES, CREATE_RUN_TABLES, CREATE_SEARCH_TABLE } from './schema-runs.ts';

function hasTable(database: DatabaseSync, name: string): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(name) !== undefined;
}

function addColumns(database: DatabaseSync): void {
  const known = new Set(
    database
      .prepare('PRAGMA table_info(trace)')
      .all()
      .map(({ name }) => String(name)),
  );
  for (const [name, definition] of Object.entries(ADDED_TRACE_COLUMNS)) {
    if (!known.has(name)) database.exec(`ALTER TABLE trace ADD COLUMN ${name} ${definition}`);
  }
}

/** Empties what is made of summaries. */
function dropRunTables(database: DatabaseSync): void {
  database.exec('DROP TABLE IF EXISTS search');
  for (const table of ['usage', 'observation', 'drifting', 'tally', 'content']) database.exec(`DELETE FROM ${table}`);
  database.exec(CREATE_SEARCH_TABLE);
}

/** Without a wish, what was kept before goes on. Text that is not wanted any more goes at once. */
function applyTextWish(database: DatabaseSync, keepsText: boolean | undefined): void {
  const state = new IndexState(database);
  if (keepsText === undefined || state.read('without_text') === (keepsText ? 0 : 1)) return;
  state.write('without_text', keepsText ? 0 : 1);
  database.exec(`DROP TABLE search; DELETE FROM content; ${CREATE_SEARCH_TABLE}`);
  if (keepsText) database.exec('UPDATE trace SET summary_revision = 0');
}

/**
 * Brings an index of an earlier version up to this one, inside a transaction: makes tables that are missing, and has every
 * trace summarised again where summaries have changed. Both are made again from what the index leads to.
 */
export function upgradeIndex(database: DatabaseSync, keepsText: boolean | undefined): void {
  database.exec(CREATE_RUN_TABLES);
  if (!hasTable(database, 'search')) database.exec(CREATE_SEARCH_TABLE);
  addColumns(database);
  database.exec(CREATE_RUN_INDEXES);
  if (database.prepare('PRAGMA user_version').get()?.user_version !== SUMMARY_VERSION) {
    dropRunTables(database);
    database.exec('DELETE FROM facet; UPDATE trace SET summary_revision = 0, summary = NULL');
    database.exec(`PRAGMA user_version = ${SUMMARY_VERSION}`);
  }
  applyTextWish(database, keepsText);
}
