import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldBytes, foldWords } from './folded-words.ts';

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu;

/** What folding is, written down as plainly as possible. Words in stores were folded by it, so it never changes. */
function foldSlowly(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .replace(UNSPACED, ' $& ')
    .replace(/ +/g, ' ')
    .trim();
}

describe('folded words', () => {
  it.each([
    ['Crème brûlée — “sehr gut”!', 'creme brulee sehr gut'],
    ['e\u0301te\u0301 n\u0303', 'ete n'],
    ['ΟΔΟΣ ΟΔΟΣa aΣ Σ', 'οδος οδοσa aς σ'],
    ['İstanbul \u212Aelvin \u2126 ﬁ ß', 'istanbul kelvin ω ﬁ ß'],
    ['売ってsellする', '売 っ て sell す る'],
    ['한국어 ไทย', foldSlowly('한국어 ไทย')],
    ['\ud800a\udc00 \u037e', 'a'],
  ])('of %j', (text, words) => {
    expect(foldWords(text)).toBe(words);
    expect(Buffer.from(foldBytes(Buffer.from(text))).toString()).toBe(words);
  });

  it('are what they always were, whatever the text', () => {
    const letter = fc.constantFrom(...'aZ9 -\u0000é\u0301ß İıΣσ\u1E9B漢ก한ﬁ\u037e\u212A\ud83d\ude00\ud800\u1fb3');
    const text = fc.oneof(
      fc.string({ unit: letter, maxLength: 40 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({ unit: 'grapheme-composite' }),
    );
    fc.assert(
      fc.property(text, (some) => {
        expect(foldWords(some)).toBe(foldSlowly(some));
        expect(Buffer.from(foldBytes(Buffer.from(some))).toString()).toBe(foldSlowly(some));
      }),
      { numRuns: 20_000 },
    );
  });
});
