import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { IndexState } from '../database/index-state.ts';
import type { SummarisedTrace } from '../store.ts';
import { RunSum } from './run-sum.ts';
import { RunTables } from './run-tables.ts';

/** Keeps the summaries of runs; every method runs inside a transaction. */
export class RunWriter {
  private readonly state: IndexState;
  private readonly findOlder: StatementSync;
  private readonly updateSummary: StatementSync;
  private readonly tables: RunTables;

  constructor(database: DatabaseSync) {
    this.state = new IndexState(database);
    this.tables = new RunTables(database);
    this.findOlder = database.prepare(`
      SELECT id, summary_revision, summary_number, summary_sum FROM trace
      WHERE tenant = ? AND trace_id = ? AND summary_revision <= ? AND revision >= ?`);
    this.updateSummary = database.prepare(`
      UPDATE trace SET summary_revision = ?, summary_number = ?, service = ?, status = ?, verdict = ?, summary = ?, is_special = ?, is_replay = ?,
        summary_sum = ? WHERE id = ?`);
  }

  /** Keeps a summary unless one of a newer revision is there, or its trace was deleted since. Runs that failed, disagree with themselves or ask for it are kept longer. `lastItem`: id of the last item; `hasOtherTexts`: whether its texts were others before. */
  write({ trace: { tenant, traceId, revision }, run }: SummarisedTrace, lastItem: number, hasOtherTexts = false): void {
    const row = this.findOlder.get(tenant, Buffer.from(traceId, 'hex'), revision, revision);
    if (row === undefined) return;
    const id = Number(row.id);
    const { service, status, origin, kept, replayability, conflictingSpans = 0 } = run.summary;
    const isSpecial = status === 'error' || conflictingSpans > 0 || kept !== undefined;
    const text = JSON.stringify(run.summary);
    const isReplay = origin === 'replay' ? 1 : 0;
    const changed = [service, status, replayability.verdict, text, isSpecial ? 1 : 0, isReplay] as const;
    const sum = new RunSum();
    sum.add('trace', changed);
    this.tables.replace(id, tenant, run, sum);
    // Once, with the sum of all else that was written: with it in a second step the whole text would be written twice.
    this.updateSummary.run(
      revision,
      this.numberOf(row, revision, hasOtherTexts ? undefined : sum, lastItem),
      ...changed,
      sum.value,
      id,
    );
  }

  /**
   * The number of a summary: another one each time that there is something to tell. There is not where one that was emptied is made again, or one
   * comes out as it was, as of a run whose content is asked for again and still away. `sum` is left out where something else of the run has changed.
   */
  private numberOf(row: Record<string, unknown>, revision: number, sum: RunSum | undefined, lastItem: number): number {
    const former = Number(row.summary_number);
    const of = Number(row.summary_revision);
    const isTold = of === -revision || (of === revision && Number(row.summary_sum) === sum?.value);
    return former > 0 && isTold ? former : this.state.nextSummary(lastItem);
  }
}
