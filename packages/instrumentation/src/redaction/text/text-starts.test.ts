import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startKeyOf, TextStarts } from './text-starts.ts';

const starts = ['sk-ant-', 'sk-', 'AIza', '0Q~', 'aaa', 'aab'];
const piece = fc.oneof(fc.constantFrom(...starts, 'sk', 'a'), fc.stringMatching(/^[A-Za-z0-9~-]{0,3}$/));
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));

it('TextStarts asks about every place where one of the texts begins', () => {
  const search = new TextStarts(starts);
  fc.assert(
    fc.property(text, fc.nat(3), fc.nat(3), (given, before, behind) => {
      const [from, to] = [Math.min(before, given.length), Math.max(0, given.length - behind)];
      const asked = new Set<number>();
      search.some(given, from, to, (at, key) => {
        expect(key).toBe(startKeyOf(given.slice(at)));
        asked.add(at);
        return false;
      });
      const begun = Array.from({ length: given.length }, (_, at) => at).filter(
        (at) => at >= from && at + 3 <= to && starts.some((start) => given.startsWith(start.slice(0, 3), at)),
      );
      expect(begun.filter((at) => !asked.has(at))).toEqual([]);
      expect([...asked].filter((at) => at < from || at + 3 > to)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

it('TextStarts stops at the first place that passes', () => {
  const search = new TextStarts(['abc']);
  expect(search.some('an abc and an abc', 0, 17, () => true)).toBe(true);
  expect(search.some('an abc and an abc', 0, 17, (at) => at > 14)).toBe(false);
});
