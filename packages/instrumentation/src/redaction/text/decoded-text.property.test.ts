import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodedText } from './decoded-text.ts';

/** A letter written as its number, alone and in rows, between others that stand for themselves. */
const pieces = fc.array(
  fc.oneof(
    fc.array(fc.constantFrom('a', 'b', '<', '\0'), { minLength: 1, maxLength: 5 }).map((characters) => ({
      plain: characters.join(''),
      written: characters.map((character) => `<${character.charCodeAt(0)}>`.padStart(5, '=')).join(''),
    })),
    fc.constantFrom('x', 'yz', 'a').map((text) => ({ plain: text, written: text })),
  ),
  { maxLength: 12 },
);

const rows = /(?:=+<\d+>){1,3}/g;

function read(written: string): string {
  return written.replaceAll(/=+<(\d+)>/g, (_, number: string) => String.fromCharCode(Number(number)));
}

describe('a text as it reads', () => {
  it('says of any two places where what is between them is written, also within a row', () => {
    fc.assert(
      fc.property(pieces, (list) => {
        const written = list.map((piece) => piece.written).join('');
        const { plain, placeOf } = decodedText(written, rows, read);
        expect(plain).toBe(list.map((piece) => piece.plain).join(''));
        for (let start = 0; start <= plain.length; start += 1) {
          for (let end = start; end <= plain.length; end += 1) {
            expect(read(written.slice(placeOf(start), placeOf(end)))).toBe(plain.slice(start, end));
          }
        }
      }),
    );
  });
});
