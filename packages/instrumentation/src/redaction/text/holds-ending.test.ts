import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsEnding } from './holds-ending.ts';

const pieces = fc
  .array(fc.constantFrom('a', 'b', '=', 'ab', 'ba=', 'b='), { maxLength: 12 })
  .map((list) => list.join(''));

describe('holdsEnding', () => {
  it('says what looking for both together says', () => {
    fc.assert(
      fc.property(pieces, pieces, pieces, (text, before, ending) => {
        fc.pre(ending !== '');
        expect(holdsEnding(text, before, ending)).toBe(text.includes(before + ending));
      }),
    );
  });

  it('is not taken in by an ending that has no room before it', () => {
    expect(holdsEnding('b=ab=', 'ab', '=')).toBe(true);
    expect(holdsEnding('aa', 'aa', 'a')).toBe(false);
  });
});
