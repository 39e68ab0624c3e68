import type { RunSummary } from '@reenact/trace-model/collector-api';

/** A short run of one crossing, fully replayable, as a collector lists it. */
export function fullRun(run: Pick<RunSummary, 'traceId' | 'rootSpanId' | 'name'>): RunSummary {
  return {
    ...run,
    service: 'shop',
    startedAt: '2026-11-17T15:14:00.000Z',
    durationMs: 1,
    status: 'ok',
    spanCount: 1,
    crossingCount: 1,
    errorCount: 0,
    origin: 'recorded',
    usage: [],
    models: [],
    inputTokens: 0,
    outputTokens: 0,
    replayability: { verdict: 'full', missing: [] },
  };
}
