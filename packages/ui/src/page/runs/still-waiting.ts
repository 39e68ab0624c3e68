import type { RunsSince } from './run-batch.ts';

/** What a list says of the runs that wait for their summary. */
interface Waiting {
  readonly unsummarisedRuns?: number | undefined;
  readonly unsummarisedTraceIds?: readonly string[] | undefined;
}

/** How many runs of a list still wait for their summary: those that were not told behind it. `before`: what had been told by then. */
export function stillWaiting(
  { unsummarisedRuns = 0, unsummarisedTraceIds = [] }: Waiting,
  since: RunsSince,
  before: RunsSince,
): number {
  const told = unsummarisedTraceIds.filter((traceId) => since.get(traceId) !== before.get(traceId)).length;
  return Math.max(0, unsummarisedRuns - told);
}
