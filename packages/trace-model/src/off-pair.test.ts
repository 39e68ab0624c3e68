import fc from 'fast-check';
import { expect, it } from 'vitest';
import { diffTrees } from './json/json-diff.ts';
import { offPair } from './off-pair.ts';

/** Many characters of two units, so that most cuts could part one. */
const text = fc.string({ unit: fc.constantFrom('a', '😀', '𝒳', 'é', '\n', '"'), maxLength: 3_000, size: 'max' });

it('cuts a text where no character is parted, at the place or one before', () => {
  fc.assert(
    fc.property(text, fc.nat(6_000), (whole, place) => {
      const at = offPair(whole, place);
      expect([place, place - 1]).toContain(at);
      expect(whole.slice(0, at).isWellFormed() && whole.slice(at).isWellFormed()).toBe(true);
    }),
  );
});

it('cuts half a pair that was sent as one like any other character', () => {
  expect([0, 1, 2, 3].map((at) => offPair('\ud83da\ude00', at))).toEqual([0, 1, 2, 3]);
});

it('is where the values of a difference are cut', () => {
  fc.assert(
    fc.property(text, text, text, (before, left, right) => {
      const { entries } = diffTrees(before + left, before + right);
      for (const { recorded, live } of entries)
        expect([recorded, live].every((side) => side?.isWellFormed())).toBe(true);
    }),
  );
});
