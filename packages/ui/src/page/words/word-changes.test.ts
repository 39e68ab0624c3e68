import fc from 'fast-check';
import { expect, it } from 'vitest';
import { wordChanges } from './word-changes.ts';

it('tells which words of a text are others', () => {
  expect(wordChanges('Sell 1,000 shares of ACME now.', 'Sell $1,000 worth of ACME now.')).toEqual([
    { text: 'Sell ', side: 'both' },
    { text: '$', side: 'after' },
    { text: '1,000 ', side: 'both' },
    { text: 'shares', side: 'before' },
    { text: 'worth', side: 'after' },
    { text: ' of ACME now.', side: 'both' },
  ]);
});

it('has nothing to say of texts that are altogether others, or very long', () => {
  expect(wordChanges('Sell all of it.', 'What a fine day!')).toBeUndefined();
  expect(wordChanges('word '.repeat(5_000), `${'word '.repeat(5_000)}more`)).toBeUndefined();
});

it('holds both texts, whatever they are', () => {
  const words = fc.array(fc.constantFrom('sell', 'a', '\n', ' ', '"', '🙂', '1,000'), { maxLength: 30, size: 'max' });
  fc.assert(
    fc.property(words, words, (one, other) => {
      const [before, after] = [one.join(' '), other.join(' ')];
      const changes = wordChanges(before, after) ?? [];
      const of = (side: string): string =>
        changes.flatMap((change) => (change.side === 'both' || change.side === side ? [change.text] : [])).join('');
      if (changes.length > 0) expect([of('before'), of('after')]).toEqual([before, after]);
    }),
  );
});
