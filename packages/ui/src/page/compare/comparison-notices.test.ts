import type { RunComparison } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { comparisonNotices } from './comparison-notices.ts';

const side: RunComparison['left'] = {
  traceId: 'a'.repeat(32),
  rootSpanId: 'b'.repeat(16),
  rootPath: 'agent:trader',
  service: 'shop',
  startedAt: '2026-11-27T20:26:15.000Z',
  crossings: 3,
  replayability: 'full',
};

const counts = { equal: 3, 'input-changed': 0, 'outcome-changed': 0, 'input-and-outcome-changed': 0 };

const same: RunComparison = {
  verdict: 'equal',
  left: side,
  right: side,
  totals: { ...counts, removed: 0, inserted: 0, moved: 0, notCompared: 0 },
  environment: [],
  steps: [],
  differences: [],
  notes: [],
};

it('warns of nothing where two runs of one program have something in common', () => {
  expect(comparisonNotices(same)).toEqual([]);
});

it('says that runs are of other programs, and have nothing in common', () => {
  const totals = { ...same.totals, equal: 0, 'input-changed': 1, removed: 2, inserted: 2 };
  expect(comparisonNotices({ ...same, right: { ...side, rootPath: 'agent:guide' }, totals })).toEqual([
    'These are runs of different programs: a is agent:trader of shop, b is agent:guide of shop.',
    'They called nothing in common: every crossing inside is in one of them only.',
  ]);
});

it('says which run had not ended, and what is not listed', () => {
  const right = { ...side, pendingCrossings: 2 };
  expect(comparisonNotices({ ...same, right, leftOutSteps: 7, leftOutDifferences: 1 })).toEqual([
    'b had not ended when it was read: 2 crossings of it had no end.',
    '7 crossings behind these are not listed.',
    'Where 1 more crossing differs is not said here.',
  ]);
});
