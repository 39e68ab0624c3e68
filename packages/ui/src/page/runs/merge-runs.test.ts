import type { RunSummary } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { mergeRuns } from './merge-runs.ts';

function run(traceId: string, startedAt: string, status: RunSummary['status'] = 'ok'): RunSummary {
  return { traceId, startedAt, status } as RunSummary;
}

it('puts runs that came since in their place, replaces those that have changed, and leaves out those that left', () => {
  const rows = [
    { run: run('b', '2026-11-27T10:01:00.000Z'), hits: [] },
    { run: run('a', '2026-11-27T10:00:00.000Z'), hits: [] },
    { run: run('0', '2026-11-27T09:59:00.000Z'), hits: [] },
  ];
  const since = new Map<string, RunSummary | 'left'>([
    ['0', 'left'],
    ['a', run('a', '2026-11-27T10:00:00.000Z', 'error')],
    ['c', run('c', '2026-11-27T10:02:00.000Z')],
  ]);
  expect(mergeRuns(rows, since).map(({ run: { traceId, status } }) => `${traceId} ${status}`)).toEqual([
    'c ok',
    'b ok',
    'a error',
  ]);
});
