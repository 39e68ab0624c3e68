import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterEach, expect, it, vi } from 'vitest';
import { RunBatch } from './run-batch.ts';

afterEach(() => void vi.useRealTimers());

it('tells of many runs at once, each as it was said last, and of none once it is stopped', () => {
  vi.useFakeTimers();
  const told: string[][] = [];
  const batch = new RunBatch((runs) =>
    told.push([...runs].map(([traceId, run]) => traceId + (run === 'left' ? run : run.status))),
  );
  const add = (traceId: string, status: RunSummary['status']): void => batch.add(traceId, { status } as RunSummary);
  for (let place = 0; place < 50; place += 1) add(`run ${place % 2} `, place < 49 ? 'ok' : 'error');
  expect(told).toEqual([]);
  vi.runAllTimers();
  expect(told).toEqual([['run 0 ok', 'run 1 error']]);
  batch.add('run 0 ', 'left');
  vi.runAllTimers();
  expect(told[1]).toEqual(['run 0 left', 'run 1 error']);
  add('run 2 ', 'ok');
  batch.stop();
  vi.runAllTimers();
  expect(told).toHaveLength(2);
  const ended = new RunBatch((runs) => told.push([...runs.keys()]));
  ended.stop();
  ended.add('run 3 ', 'left');
  vi.runAllTimers();
  expect(told).toHaveLength(2);
});
