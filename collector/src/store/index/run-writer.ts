import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import type { RunFacets, StaleTrace } from '../store.ts';

/** Keeps the summaries of runs; every method runs inside a transaction. */
export class RunWriter {
  private readonly updateSummary: StatementSync;
  private readonly deleteFacets: StatementSync;
  private readonly insertFacet: StatementSync;

  constructor(database: DatabaseSync) {
    this.updateSummary = database.prepare(`
      UPDATE trace SET summary_revision = ?, service = ?, status = ?, verdict = ?, summary = ?, is_special = ?
      WHERE tenant = ? AND trace_id = ? AND summary_revision < ? RETURNING id`);
    this.deleteFacets = database.prepare('DELETE FROM facet WHERE trace = ?');
    this.insertFacet = database.prepare(
      'INSERT INTO facet (tenant, facet, value, trace) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
  }

  /** Keeps a summary unless a newer one is there. Runs that failed or disagree with themselves are kept longer. */
  write({ tenant, traceId, revision }: StaleTrace, summary: RunSummary, facets: RunFacets): void {
    const { service, status, replayability, conflictingSpans = 0 } = summary;
    const isSpecial = status === 'error' || conflictingSpans > 0 || facets.isKept === true;
    const text = JSON.stringify(summary);
    const { verdict } = replayability;
    const id = Buffer.from(traceId, 'hex');
    const changed = [revision, service, status, verdict, text, isSpecial ? 1 : 0] as const;
    const row = this.updateSummary.get(...changed, tenant, id, revision);
    if (row === undefined) return;
    const trace = Number(row.id);
    this.deleteFacets.run(trace);
    const insert = (facet: string, value: string) => void this.insertFacet.run(tenant, facet, value, trace);
    for (const agent of facets.agents) insert('agent', agent);
    for (const session of facets.sessions) insert('session', session);
    for (const user of facets.users ?? []) insert('user', user);
    for (const { kind, name } of facets.crossings) {
      insert('kind', kind);
      insert('name', name);
      insert('crossing', `${kind}:${name}`);
    }
  }
}
