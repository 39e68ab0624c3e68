import type { FoundRun } from '@reenact/trace-model/collector-api';
import type { RunsSince } from './run-batch.ts';

/** One row of the list: a run, and where the words that were looked for are. */
export type RunRow = FoundRun;

/** Runs as they are known best, newest first: what came since replaces what an earlier answer said, or takes it away. */
export function mergeRuns(rows: readonly RunRow[], since: RunsSince): RunRow[] {
  const known = new Map<string, RunRow>();
  for (const row of rows) known.set(row.run.traceId, row);
  for (const [traceId, run] of since) {
    if (run === 'left') known.delete(traceId);
    else known.set(traceId, { run, hits: known.get(traceId)?.hits ?? [] });
  }
  return [...known.values()].sort((one, other) => (one.run.startedAt < other.run.startedAt ? 1 : -1));
}
