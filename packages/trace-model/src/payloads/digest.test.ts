import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digestOf, hashOfDigest, hashOfText, PiecewiseDigest } from './digest.ts';

/** As a receiver in another language takes it: of the bytes, and of how many there are. */
function ofBytes(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')};${bytes.length}`;
}

const texts = fc.string({ unit: 'grapheme' });

describe('a digest', () => {
  it('is that of the UTF-8 bytes of a text and counts these, however it comes', () => {
    fc.assert(
      fc.property(fc.array(texts), (pieces) => {
        const text = pieces.join('');
        const piecewise = new PiecewiseDigest();
        for (const piece of pieces) piecewise.add(piece);
        const expected = ofBytes(Buffer.from(text));
        expect([digestOf(text), digestOf(Buffer.from(text)), piecewise.finish()]).toEqual(Array(3).fill(expected));
        expect(hashOfDigest(expected)).toBe(hashOfText(text));
      }),
      { examples: [[['größer ', '🙂', '']]] },
    );
  });
});
