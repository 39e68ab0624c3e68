import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shownCount } from './shown-count.ts';

const sizes: Readonly<Record<string, number>> = { '': 0, k: 1e3, M: 1e6, G: 1e9 };

function read(shown: string): { figure: number; value: number; size: number } {
  const [, figure = '', unit = ''] = /^([\d.]+)([kMG]?)$/.exec(shown) ?? [];
  const size = sizes[unit] ?? Number.NaN;
  return { figure: Number(figure), value: Number(figure) * Math.max(size, 1), size };
}

const counts = fc.oneof(fc.nat(20_000), fc.nat(2_000_000), fc.nat(2_000_000_000), fc.integer({ min: 0, max: 999e9 }));

it('says a count in short', () => {
  expect([1316, 10_000, 12_345, 999_940, 999_950, 4_500_000, 999_960_000].map(shownCount)).toEqual([
    '1316',
    '10k',
    '12.3k',
    '999.9k',
    '1M',
    '4.5M',
    '1G',
  ]);
});

it('stays near what it means, and below a thousand of its unit', () => {
  fc.assert(
    fc.property(counts, (count) => {
      const { figure, value, size } = read(shownCount(count));
      // Half of the last figure, and what a rounded quotient may differ.
      expect(Math.abs(value - count)).toBeLessThanOrEqual(size * 0.0501);
      if (count >= 10_000) expect(figure).toBeLessThan(1000);
    }),
  );
});

it('says no larger count as a smaller one', () => {
  fc.assert(
    fc.property(counts, counts, (one, other) => {
      const [less, more] = one < other ? [one, other] : [other, one];
      expect(read(shownCount(less)).value).toBeLessThanOrEqual(read(shownCount(more)).value);
    }),
  );
});
