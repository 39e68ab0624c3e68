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
      UPDATE trace SET summary_revision = ?1, service = ?2, status = ?3, verdict = ?4, summary = ?5, is_special = ?6
      WHERE tenant = ?7 AND trace_id = ?8 AND summary_revision < ?1 RETURNING id`);
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
    const row = this.updateSummary.get(revision, service, status, verdict, text, isSpecial ? 1 : 0, tenant, id);
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
