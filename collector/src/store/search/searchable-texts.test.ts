import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { CrossingText } from '../store.ts';
import { foldWords } from './folded-words.ts';
import { readKeptTexts, toSearchableTexts, wordsOfKept } from './searchable-texts.ts';

const someTexts: fc.Arbitrary<CrossingText[]> = fc.array(
  fc.record({
    spanId: fc.constantFrom('', 'b000000000000001', 'b000000000000002'),
    part: fc.constantFrom('input' as const, 'output' as const, 'error' as const),
    text: fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', '\n', 'a\n\nb', '売って 🙂', 'Ünï'.repeat(9_000)),
    ),
  }),
  { minLength: 1, maxLength: 8 },
);

it('gives texts back as they were, and the same words when they are to go as when they came', () => {
  fc.assert(
    fc.property(someTexts, (texts) => {
      const searchable = toSearchableTexts(texts);
      if (searchable === undefined) expect.fail('texts are lost');
      expect(readKeptTexts(searchable.kept)).toEqual(texts);
      expect(wordsOfKept(searchable.kept)).toBe(Buffer.from(searchable.words).toString());
      expect(wordsOfKept(searchable.kept)).toBe(foldWords(texts.map(({ text }) => text).join('\n')));
    }),
    { numRuns: 300 },
  );
  expect(toSearchableTexts([])).toBeUndefined();
});
