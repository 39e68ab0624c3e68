import type { RunFacets, SummarisedRun } from '@reenact/collector';
import type { RunSummary } from '@reenact/trace-model/collector-api';
import { spanIdOf, traceIdOf } from '../testbed.ts';

/** Seconds since 1970 after which runs of a number start, one each second. */
export const FIRST_SECOND = 1_763_700_000;

/** What a store is given to keep of a run that says nothing but its number. */
export function plainRun(number: number, members: Partial<RunSummary> = {}, facets: RunFacets = {}): SummarisedRun {
  const summary: RunSummary = {
    traceId: traceIdOf(number),
    rootSpanId: spanIdOf(number),
    name: `run ${number}`,
    origin: 'recorded',
    service: 'shop',
    startedAt: new Date((FIRST_SECOND + number) * 1000).toISOString(),
    durationMs: 1,
    status: 'ok',
    spanCount: 1,
    crossingCount: 0,
    errorCount: 0,
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    usage: [],
    replayability: { verdict: 'full', missing: [] },
    ...members,
  };
  return { summary, facets, observations: [], texts: undefined };
}
