import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Observation } from '../store.ts';
import type { RunSum } from './run-sum.ts';

/** Keeps what crossings made of their inputs; every method runs inside a transaction. */
export class DriftTable {
  private readonly insert: StatementSync;
  private readonly findOther: StatementSync;
  private readonly mark: StatementSync;
  private readonly deleteOf: StatementSync;
  private readonly unmark: StatementSync;

  constructor(database: DatabaseSync) {
    this.insert = database.prepare(`
      INSERT INTO observation (trace, span_id, tenant, input, outcome, start_ns, kind, name, service, circumstances)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
    this.findOther = database.prepare(
      'SELECT 1 FROM observation WHERE tenant = ? AND input = ? AND outcome <> ? LIMIT 1',
    );
    this.mark = database.prepare('INSERT INTO drifting (tenant, input) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.deleteOf = database.prepare('DELETE FROM observation WHERE trace = ?');
    this.unmark = database.prepare(`
      DELETE FROM drifting WHERE (tenant, input) IN (SELECT tenant, input FROM observation WHERE trace = ?)
      AND NOT EXISTS (
        SELECT 1 FROM observation AS other
        WHERE other.tenant = drifting.tenant AND other.input = drifting.input AND other.trace <> ?)`);
  }

  replace(trace: number, tenant: string, observations: readonly Observation[], sum: RunSum): void {
    this.deleteOf.run(trace);
    for (const { spanId, input, outcome, startNs, kind, name, service, circumstances } of observations) {
      const written = JSON.stringify(circumstances);
      const id = Buffer.from(spanId, 'hex');
      const said = [kind, name, service, written] as const;
      const { changes } = this.insert.run(trace, id, tenant, input, outcome, startNs, ...said);
      if (changes > 0) sum.add('observation', [id, tenant, input, outcome, startNs, ...said]);
      if (this.findOther.get(tenant, input, outcome) !== undefined) this.mark.run(tenant, input);
    }
  }

  remove(trace: number): void {
    this.unmark.run(trace, trace);
    this.deleteOf.run(trace);
  }
}
