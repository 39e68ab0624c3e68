import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from '../database/index-state.ts';
import { inStep, resetSummaries, updateTracesInSteps } from '../database/reset-summaries.ts';
import { SUMMARY_VERSION } from '../database/schema.ts';
import type { TellOpening } from '../opening-step.ts';
import { rowKeyOf } from './row-key.ts';
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
function enterSpans(database: DatabaseSync, tell: TellOpening): void {
  const former = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'item_by_span_id'").get();
  if (former === undefined) return;
  const ids = database.prepare('SELECT min(id) AS first, max(id) AS last FROM item').get();
  const lastId = Number(ids?.last ?? 0);
  const spans = new SpanIndex(database);
  // Of a store that is years old the first ids are long gone.
  const first = Number(ids?.first ?? 0) - 1;
  for (let to = first; to < lastId; ) {
    tell({ what: 'making the index by span id', done: to - first, total: lastId - first });
    to = Math.min(to + SPAN_PART_ITEMS, lastId);
    inStep(database, () => spans.enterDue(to));
  }
  inStep(database, () => database.exec('DROP INDEX item_by_span_id'));
}

/** Versions up to November 2026 told runs by the number of the item that had changed them last: who comes back with such a place goes on from there. */
function numberSummaries(database: DatabaseSync, tell: TellOpening): void {
  const former = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'trace_by_change'").get();
  if (former === undefined) return;
  const statement = 'UPDATE trace SET summary_number = changed_by WHERE id > ? AND id <= ? AND summary_number = 0';
  updateTracesInSteps(database, 'numbering summaries', statement, tell);
  inStep(database, () => database.exec('DROP INDEX trace_by_change'));
}

/** Each in a step of its own; SQLite does not say how far one is. */
function execEach(database: DatabaseSync, what: string, statements: readonly string[], tell: TellOpening): void {
  for (const [done, statement] of statements.entries()) {
    tell({ what, done, total: statements.length });
    inStep(database, () => database.exec(statement));
  }
}

/** The last version whose backups were without `retention.json`, and whose first ones never had it. */
const WITHOUT_RETENTION_TIMES = 13;

const FORMER_SEARCH = ['DROP TABLE IF EXISTS search', 'DROP TABLE IF EXISTS content'];
const EMPTY_SUMMARIES = ['DELETE FROM facet', 'DELETE FROM usage', 'DELETE FROM observation'];

/**
 * Empties what is made of summaries, has every trace summarised again, and lets go of the search file; versions up to 4 kept text in the index itself.
 * No version takes what this leaves behind for its own where it ends early: each begins again, and passes over what is done. A table goes at
 * once: row by row, in the order of one of its indexes, each would touch a page of the other.
 */
function dropSummaries(database: DatabaseSync, version: number, tell: TellOpening): void {
  inStep(database, () => {
    database.exec('PRAGMA user_version = 0; DELETE FROM tally; DELETE FROM drifting');
    const state = new IndexState(database);
    state.write('search_id', 0);
    // Or a file that never was would be missed as one that is lost.
    if (version > 0 && version <= WITHOUT_RETENTION_TIMES) state.write('expired_ms', 0);
  });
  execEach(database, 'letting go of the former search', FORMER_SEARCH, tell);
  execEach(database, 'emptying the tables of summaries', EMPTY_SUMMARIES, tell);
  resetSummaries(database, 'all', tell);
  inStep(database, () => database.exec(`PRAGMA user_version = ${SUMMARY_VERSION}`));
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
 * Both are made again from what the index leads to. What is much to do is done in steps, each of which is committed and copied back: killed, it goes on at the next start.
 */
export function upgradeIndex(
  database: DatabaseSync,
  keepsText: boolean | undefined,
  tell: TellOpening = () => undefined,
): void {
  inStep(database, () => {
    database.exec(CREATE_RUN_TABLES);
    database.exec(CREATE_SPAN_TABLE);
    addColumns(database);
  });
  enterSpans(database, tell);
  numberSummaries(database, tell);
  execEach(database, 'making indexes of runs', CREATE_RUN_INDEXES, tell);
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== SUMMARY_VERSION) dropSummaries(database, version, tell);
  inStep(database, () => {
    moveLogsWithoutTrace(database, Date.now());
    applyTextWish(database, keepsText);
  });
}
