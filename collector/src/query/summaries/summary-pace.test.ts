import { expect, it } from 'vitest';
import { SummaryPace } from './summary-pace.ts';

it('knows nothing before the first batch, goes by what was made, and is not thrown by one large run', () => {
  const pace = new SummaryPace();
  expect([pace.isKnown, pace.msFor(1000)]).toEqual([false, 0]);
  pace.note(0, 500, 2);
  expect(pace.isKnown).toBe(false);
  pace.note(32, 640, 2);
  expect([pace.isKnown, pace.msFor(100)]).toEqual([true, 1000]);
  pace.note(1, 1000, 2);
  expect(pace.msFor(1)).toBeLessThan(120);
  for (let batch = 0; batch < 30; batch += 1) pace.note(32, 640, 2);
  expect(pace.msFor(1)).toBeCloseTo(10, 0);
});
