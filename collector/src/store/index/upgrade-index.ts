import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from './index-state.ts';
import { rowKeyOf } from './row-key.ts';
import { SUMMARY_VERSION } from './schema.ts';
import { ADDED_COLUMNS, CREATE_RUN_INDEXES, CREATE_RUN_TABLES } from './schema-runs.ts';
import { CREATE_SPAN_TABLE, SpanIndex } from './span-index.ts';

function addColumns(database: DatabaseSync): void {
  for (const [table, name, definition] of ADDED_COLUMNS) {
    const known = database.prepare(`PRAGMA table_info(${table})`).all();
    if (!known.some((column) => column.name === name))
      database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`);
  }
}

/** Versions up to November 2026 had an index of `item` by span id. */
function enterSpans(database: DatabaseSync): void {
  const former = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'item_by_span_id'").get();
  if (former === undefined) return;
  new SpanIndex(database).enterDue(Number(database.prepare('SELECT max(id) AS id FROM item').get()?.id ?? 0));
  database.exec('DROP INDEX item_by_span_id');
}

/** Empties what is made of summaries, and lets go of the search file; versions up to 4 kept text in the index itself. */
function dropRunTables(database: DatabaseSync): void {
  database.exec('DROP TABLE IF EXISTS search; DROP TABLE IF EXISTS content');
  for (const table of ['usage', 'observation', 'drifting', 'tally']) database.exec(`DELETE FROM ${table}`);
  new IndexState(database).write('search_id', 0);
}

/** Log records that name no trace were in one row per tenant, which went by when the first of them came. */
function moveLogsWithoutTrace(database: DatabaseSync, nowMs: number): void {
  database
    .prepare("UPDATE OR IGNORE trace SET trace_id = ?, received_ms = ? WHERE trace_id = x''")
    .run(Buffer.from(rowKeyOf('', nowMs), 'hex'), nowMs);
}

/** Without a wish, what was so before goes on. */
function applyTextWish(database: DatabaseSync, keepsText: boolean | undefined): void {
  if (keepsText !== undefined) new IndexState(database).write('without_text', keepsText ? 0 : 1);
}

/**
 * Brings an index of an earlier version up to this one, inside a transaction: makes tables that are missing, and has every
 * trace summarised again where summaries have changed. Both are made again from what the index leads to.
 */
export function upgradeIndex(database: DatabaseSync, keepsText: boolean | undefined): void {
  database.exec(CREATE_RUN_TABLES);
  database.exec(CREATE_SPAN_TABLE);
  enterSpans(database);
  addColumns(database);
  database.exec(CREATE_RUN_INDEXES);
  if (database.prepare('PRAGMA user_version').get()?.user_version !== SUMMARY_VERSION) {
    dropRunTables(database);
    database.exec('DELETE FROM facet; UPDATE trace SET summary_revision = 0, summary = NULL');
    database.exec(`PRAGMA user_version = ${SUMMARY_VERSION}`);
  }
  moveLogsWithoutTrace(database, Date.now());
  applyTextWish(database, keepsText);
}
