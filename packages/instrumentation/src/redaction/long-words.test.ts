import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LONG_WORD_CHARACTERS_MIN, someLongWord } from './long-words.ts';

const everyLongWord = new RegExp(`[A-Za-z0-9_.~+/:=-]{${LONG_WORD_CHARACTERS_MIN},}`, 'g');

const word = fc.stringMatching(/^[A-Za-z0-9_.~+/:=-]{0,40}$/);
const between = fc.constantFrom(' ', '"', '\\n', '\u00e9', '\u{1f600}', '", "');
const text = fc.array(fc.oneof(word, between), { maxLength: 20 }).map((pieces) => pieces.join(''));

it('someLongWord is asked about each long word of a text, whole and in order, and about nothing else', () => {
  fc.assert(
    fc.property(text, (given) => {
      const asked: string[] = [];
      someLongWord(given, (long) => {
        asked.push(long);
        return false;
      });
      expect(asked).toEqual(given.match(everyLongWord) ?? []);
    }),
    { numRuns: 1_000 },
  );
});

it('someLongWord stops at the first word that passes', () => {
  const given = 'a-word-that-is-long another-word-that-is-long';
  expect(someLongWord(given, (long) => long.startsWith('another'))).toBe(true);
  expect(someLongWord(given, (long) => long.startsWith('none'))).toBe(false);
});
