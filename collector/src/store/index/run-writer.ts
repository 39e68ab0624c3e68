import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SummarisedTrace } from '../store.ts';
import { RunSum } from './run-sum.ts';
import { RunTables } from './run-tables.ts';

/** Keeps the summaries of runs; every method runs inside a transaction. */
export class RunWriter {
  private readonly updateSummary: StatementSync;
  private readonly noteSum: StatementSync;
  private readonly tables: RunTables;

  constructor(database: DatabaseSync) {
    this.tables = new RunTables(database);
    this.updateSummary = database.prepare(`
      UPDATE trace SET summary_revision = ?, service = ?, status = ?, verdict = ?, summary = ?, is_special = ?, is_replay = ?
      WHERE tenant = ? AND trace_id = ? AND summary_revision < ? AND revision >= ? RETURNING id`);
    this.noteSum = database.prepare('UPDATE trace SET summary_sum = ? WHERE id = ?');
  }

  /** Keeps a summary unless a newer one is there, or its trace was deleted since. Runs that failed, disagree with themselves or ask for it are kept longer. */
  write({ trace: { tenant, traceId, revision }, run }: SummarisedTrace): void {
    const { service, status, origin, kept, replayability, conflictingSpans = 0 } = run.summary;
    const isSpecial = status === 'error' || conflictingSpans > 0 || kept !== undefined;
    const text = JSON.stringify(run.summary);
    const isReplay = origin === 'replay' ? 1 : 0;
    const changed = [revision, service, status, replayability.verdict, text, isSpecial ? 1 : 0, isReplay] as const;
    const row = this.updateSummary.get(...changed, tenant, Buffer.from(traceId, 'hex'), revision, revision);
    if (row === undefined) return;
    const sum = new RunSum();
    sum.add('trace', changed.slice(1));
    this.tables.replace(Number(row.id), tenant, run, sum);
    this.noteSum.run(sum.value, Number(row.id));
  }
}
