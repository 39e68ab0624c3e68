import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RUNS_REMEMBERED_MAX } from '../limits.ts';
import { RunTable } from '../run/crossing-scope.ts';
import { forgetOldest } from './forget-oldest.ts';

describe('forgetOldest', () => {
  it('keeps the newest in their order, never more than the limit and never less than seven eighths of it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 300 }), (countMax, added) => {
        const remembered = new Set<number>();
        for (let key = 1; key <= added; key += 1) {
          remembered.add(key);
          forgetOldest(remembered, countMax);
        }
        const kept = [...remembered];
        expect(kept.length).toBeLessThanOrEqual(countMax);
        expect(kept.length).toBeGreaterThanOrEqual(Math.min(added, Math.floor((countMax * 7) / 8)));
        expect(kept).toEqual(Array.from(kept, (_, index) => added - kept.length + 1 + index));
      }),
    );
  });
});

describe('RunTable', () => {
  it('remembers the runs that were used last, whenever they began', () => {
    const table = new RunTable();
    const first = table.of('first');
    const second = table.of('second');
    for (let run = 0; run < RUNS_REMEMBERED_MAX * 2; run += 1) {
      table.of(`run ${run}`);
      if (run % 1_000 === 0) expect(table.of('first')).toBe(first);
    }
    expect(table.of('second')).not.toBe(second);
  });
});
