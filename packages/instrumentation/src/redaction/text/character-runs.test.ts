import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LONG_WORD_CHARACTERS_MIN, longWords } from '../rules/long-words.ts';
import { CharacterRuns } from './character-runs.ts';

function askedBy(runs: CharacterRuns, text: string): string[] {
  const asked: string[] = [];
  runs.some(text, (run) => {
    asked.push(run);
    return false;
  });
  return asked;
}

const everyLongWord = new RegExp(`[A-Za-z0-9_.~+/:=-]{${LONG_WORD_CHARACTERS_MIN},}`, 'g');

const word = fc.stringMatching(/^[A-Za-z0-9_.~+/:=-]{0,40}$/);
const between = fc.constantFrom(' ', '"', '\\n', '\u00e9', '\u{1f600}', '", "');
const text = fc.array(fc.oneof(word, between), { maxLength: 20, size: 'max' }).map((pieces) => pieces.join(''));

it('CharacterRuns asks about each long word of a text, whole and in order, and about nothing else', () => {
  fc.assert(
    fc.property(text, (given) => {
      expect(askedBy(longWords, given)).toEqual(given.match(everyLongWord) ?? []);
    }),
    { numRuns: 1_000 },
  );
});

it('CharacterRuns asks about each run of another class and length', () => {
  const numbers = fc.stringMatching(/^[0-9 -]{0,9}$/);
  const mixed = fc
    .array(fc.oneof(numbers, word, between), { maxLength: 20, size: 'max' })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(mixed, (given) => {
      expect(askedBy(new CharacterRuns('0123456789 -', 4), given)).toEqual(given.match(/[0-9 -]{4,}/g) ?? []);
    }),
    { numRuns: 1_000 },
  );
});

it('CharacterRuns stops at the first run that passes', () => {
  const given = 'a-word-that-is-long another-word-that-is-long';
  expect(longWords.some(given, (long) => long.startsWith('another'))).toBe(true);
  expect(longWords.some(given, (long) => long.startsWith('none'))).toBe(false);
});
