import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ModelUsage } from '@reenact/trace-model/collector-api';
import type { RunFacets, SummarisedRun } from '../store.ts';
import { DriftTable } from './drift-table.ts';
import type { RunSum } from './run-sum.ts';

/** Name in the tally of all cold traces; those of one cause have the cause after it. */
export const COLD_TALLY = 'cold';

/** The facet under which a cold trace says why; beside the facets that runs are filtered by. */
const COLD_FACET = 'cold';

/** Everything the index keeps of a run beside its row; every method runs inside a transaction. Texts are in the search file. */
export class RunTables {
  private readonly drift: DriftTable;
  private readonly noteErasure: StatementSync;
  private readonly selectCold: StatementSync;
  private readonly count: StatementSync;
  private readonly deleteFacets: StatementSync;
  private readonly insertFacet: StatementSync;
  private readonly deleteUsage: StatementSync;
  private readonly insertUsage: StatementSync;

  constructor(database: DatabaseSync) {
    this.drift = new DriftTable(database);
    this.noteErasure = database.prepare(`
      INSERT INTO text_erasure SELECT ? WHERE NOT EXISTS (SELECT 1 FROM state WHERE name = 'without_text' AND value = 1)
      ON CONFLICT DO NOTHING`);
    this.selectCold = database.prepare(`SELECT value FROM facet WHERE trace = ? AND facet = '${COLD_FACET}'`);
    this.count = database.prepare(
      'INSERT INTO tally VALUES (?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count',
    );
    this.deleteFacets = database.prepare('DELETE FROM facet WHERE trace = ?');
    this.insertFacet = database.prepare(
      'INSERT INTO facet (tenant, facet, value, trace) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.deleteUsage = database.prepare('DELETE FROM usage WHERE trace = ?');
    this.insertUsage = database.prepare(`
      INSERT INTO usage (trace, provider, model, calls, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
  }

  /** Keeps this of a run and nothing of what was kept before; each row is added to the sum. */
  replace(trace: number, tenant: string, { summary, facets, observations }: SummarisedRun, sum: RunSum): void {
    this.replaceFacets(trace, tenant, facets, coldCauses(summary), sum);
    this.deleteUsage.run(trace);
    for (const usage of summary.usage) this.addUsage(trace, usage, sum);
    this.drift.replace(trace, tenant, observations, sum);
  }

  remove(trace: number): void {
    this.forgetFacets(trace);
    this.deleteUsage.run(trace);
    this.drift.remove(trace);
    this.noteErasure.run(trace);
  }

  private replaceFacets(trace: number, tenant: string, facets: RunFacets, cold: readonly string[], sum: RunSum): void {
    this.forgetFacets(trace);
    for (const [facet, values] of Object.entries(facets)) {
      for (const value of values) this.addFacet(trace, [tenant, facet, value], sum);
    }
    for (const name of cold) {
      this.addFacet(trace, [tenant, COLD_FACET, name], sum);
      this.count.run(name, 1);
    }
  }

  private addFacet(trace: number, values: readonly [tenant: string, facet: string, value: string], sum: RunSum): void {
    if (this.insertFacet.run(...values, trace).changes > 0) sum.add('facet', values);
  }

  private forgetFacets(trace: number): void {
    for (const { value } of this.selectCold.all(trace)) this.count.run(String(value), -1);
    this.deleteFacets.run(trace);
  }

  private addUsage(trace: number, usage: ModelUsage, sum: RunSum): void {
    const { provider = '', model = '', calls, inputTokens, outputTokens } = usage;
    const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
    const counts = [calls, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens];
    if (this.insertUsage.run(trace, provider, model, ...counts).changes > 0)
      sum.add('usage', [provider, model, ...counts]);
  }
}

/** What a cold trace counts under: that it is cold, and each cause of it once. */
function coldCauses({ replayability: { verdict, missing } }: SummarisedRun['summary']): string[] {
  if (verdict !== 'cold') return [];
  return [COLD_TALLY, ...new Set(missing.map(({ cause }) => `${COLD_TALLY} ${cause}`))];
}
