import type { DatabaseSync } from 'node:sqlite';
import type { TellOpening } from '../opening-step.ts';
import { inTransaction } from './in-transaction.ts';

/** Traces in one step: some ten megabytes of the index's log. */
const TRACES_PER_STEP = 5_000;

/** Does something in a transaction of its own and copies the index's log back behind it: all steps at once would take the room of the index a second time. */
export function inStep(database: DatabaseSync, work: () => unknown): void {
  inTransaction(database, false, work);
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
}

/** Does something to all traces, some at a time: the statement is given the id behind which those begin, and that of the last. */
export function updateTracesInSteps(
  database: DatabaseSync,
  what: string,
  statement: string,
  tell: TellOpening = () => undefined,
): void {
  const total = Number(database.prepare('SELECT max(id) AS last FROM trace').get()?.last ?? 0);
  const selectLast = database.prepare(
    'SELECT max(id) AS last FROM (SELECT id FROM trace WHERE id > ? ORDER BY id LIMIT ?)',
  );
  const update = database.prepare(statement);
  for (let done = 0; ; ) {
    const last = selectLast.get(done, TRACES_PER_STEP)?.last;
    if (typeof last !== 'number') return;
    tell({ what, done, total });
    inStep(database, () => update.run(done, last));
    done = last;
  }
}

/**
 * Has every trace summarised again, some at a time. `all`: none is found by its summary from then on; else it is, until it has the
 * next one. What has no summary is passed over, so that whoever begins again goes on. The revision that a summary was of stays as a negative
 * number: where nothing has come since, the next one has nothing to tell to those who follow runs.
 */
export function resetSummaries(
  database: DatabaseSync,
  what: 'all' | 'revisions',
  tell: TellOpening = () => undefined,
): void {
  const statement =
    what === 'all'
      ? `UPDATE trace SET summary_revision = -abs(summary_revision), summary = NULL
         WHERE id > ? AND id <= ? AND (summary_revision > 0 OR summary IS NOT NULL)`
      : 'UPDATE trace SET summary_revision = -summary_revision WHERE id > ? AND id <= ? AND summary_revision > 0';
  updateTracesInSteps(database, 'emptying summaries', statement, tell);
}
