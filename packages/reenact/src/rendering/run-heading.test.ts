import { expect, it } from 'vitest';
import { runHeading } from './run-heading.ts';

const run = {
  traceId: '75096cfa9ff84baeb3c6a4b2b36dd73e',
  service: 'trading',
  startedAt: '2026-11-28T11:52:42.581Z',
  spanCount: 5,
  crossingCount: 1,
};
const terminal = { out: () => {}, err: () => {}, data: () => {}, colour: false, columns: 80, wraps: true };

it('is one line in a pipe, and no wider than a terminal', () => {
  const line = `trace ${run.traceId} · trading · 2026-11-28T11:52:42.581Z · 5 spans, 1 crossing`;
  expect(runHeading(run, { ...terminal, wraps: false })).toEqual([line]);
  expect(runHeading(run, { ...terminal, columns: line.length })).toEqual([line]);
  expect(runHeading(run, terminal)).toEqual([
    `trace ${run.traceId} · trading · 2026-11-28T11:52:42.581Z`,
    '5 spans, 1 crossing',
  ]);
});

it('shows which trace it is, and nothing else, as strong', () => {
  const [first] = runHeading(run, { ...terminal, colour: true });
  expect(first).toBe(`\u001b[1mtrace ${run.traceId}\u001b[22m · trading · 2026-11-28T11:52:42.581Z`);
});
