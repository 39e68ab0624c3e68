import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from './index-state.ts';
import { inStep, resetSummaries } from './reset-summaries.ts';
import { rowKeyOf } from './row-key.ts';
import { SUMMARY_VERSION } from './schema.ts';
import { ADDED_COLUMNS, CREATE_RUN_INDEXES, CREATE_RUN_TABLES } from './schema-runs.ts';
import { CREATE_SPAN_TABLE, SPAN_PART_ITEMS, SpanIndex } from './span-index.ts';

function addColumns(database: DatabaseSync): void {
  for (const [table, name, definition] of ADDED_COLUMNS) {
    const known = database.prepare(`PRAGMA table_info(${table})`).all();
    if (!known.some((column) => column.name === name))
      database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`);
  }
}

/** Versions up to November 2026 had an index of `item` by span id. What is entered already stays so where this ends early. */
function enterSpans(database: DatabaseSync): void {
  const former = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'item_by_span_id'").get();
  if (former === undefined) return;
  const lastId = Number(database.prepare('SELECT max(id) AS id FROM item').get()?.id ?? 0);
  const spans = new SpanIndex(database);
  for (let to = 0; to < lastId; ) {
    to = Math.min(to + SPAN_PART_ITEMS, lastId);
    inStep(database, () => spans.enterDue(to));
  }
  inStep(database, () => database.exec('DROP INDEX item_by_span_id'));
}

/**
 * Empties what is made of summaries, has every trace summarised again, and lets go of the search file; versions up to 4 kept text in the index itself.
 * The version is noted last: where this ends early, it begins again, and passes over what is done.
 */
function dropSummaries(database: DatabaseSync): void {
  resetSummaries(database, 'all');
  inStep(database, () => {
    database.exec('DROP TABLE IF EXISTS search; DROP TABLE IF EXISTS content');
    for (const table of ['facet', 'usage', 'observation', 'drifting', 'tally']) database.exec(`DELETE FROM ${table}`);
    new IndexState(database).write('search_id', 0);
    database.exec(`PRAGMA user_version = ${SUMMARY_VERSION}`);
  });
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
 * Brings an index of an earlier version up to this one: makes tables that are missing, and has every trace summarised again where summaries have changed.
 * Both are made again from what the index leads to. What is much to do is done in steps, each of which is committed: killed, it goes on at the next start.
 */
export function upgradeIndex(database: DatabaseSync, keepsText: boolean | undefined): void {
  inStep(database, () => {
    database.exec(CREATE_RUN_TABLES);
    database.exec(CREATE_SPAN_TABLE);
    addColumns(database);
  });
  enterSpans(database);
  inStep(database, () => database.exec(CREATE_RUN_INDEXES));
  if (database.prepare('PRAGMA user_version').get()?.user_version !== SUMMARY_VERSION) dropSummaries(database);
  inStep(database, () => {
    moveLogsWithoutTrace(database, Date.now());
    applyTextWish(database, keepsText);
  });
}
