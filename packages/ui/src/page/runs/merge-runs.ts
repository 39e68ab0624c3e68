import type { FoundRun, RunSummary } from '@reenact/trace-model/collector-api';

/** One row of the list: a run, and where the words that were looked for are. */
export type RunRow = FoundRun;

/** Runs as they are known best, newest first: what came since replaces what an earlier answer said. */
export function mergeRuns(rows: readonly RunRow[], since: ReadonlyMap<string, RunSummary>): RunRow[] {
  const known = new Map<string, RunRow>();
  for (const row of rows) known.set(row.run.traceId, row);
  for (const [traceId, run] of since) known.set(traceId, { run, hits: known.get(traceId)?.hits ?? [] });
  return [...known.values()].sort((one, other) => (one.run.startedAt < other.run.startedAt ? 1 : -1));
}
