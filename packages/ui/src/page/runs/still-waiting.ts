import type { RunsSince } from './run-batch.ts';

/** What a list says of the runs that wait for their summary. */
interface Waiting {
  readonly unsummarisedRuns?: number | undefined;
  readonly unsummarisedTraceIds?: readonly string[] | undefined;
}

/** What was told of runs. */
interface Told {
  readonly since: RunsSince;
  /** Runs that were passed over: they have waited too long for their summary. */
  readonly passedOver: ReadonlySet<string>;
}

/** How many runs still wait for their summary: those of a list that were not told behind it, and those that were passed over. `before`: what had been told by then. */
export function stillWaiting(
  { unsummarisedRuns = 0, unsummarisedTraceIds = [] }: Waiting,
  { since, passedOver }: Told,
  before: Told,
): number {
  const isTold = (traceId: string): boolean => since.get(traceId) !== before.since.get(traceId);
  const told = unsummarisedTraceIds.filter(isTold).length;
  const others = [...passedOver].filter(
    (traceId) => !before.passedOver.has(traceId) && !isTold(traceId) && !unsummarisedTraceIds.includes(traceId),
  );
  return Math.max(0, unsummarisedRuns - told) + others.length;
}
