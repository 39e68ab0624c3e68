import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyTape } from './body-tape.ts';

/** Text of every script and plain bytes, cut anywhere: also within a character. */
const bodies = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    ),
    fc.array(fc.nat({ max: 40 })),
  )
  .map(([bytes, lengths]) => {
    const chunks: Buffer[] = [];
    let start = 0;
    for (const length of [...lengths, bytes.length]) {
      chunks.push(bytes.subarray(start, start + length));
      start += length;
    }
    return { bytes, chunks: chunks.filter((chunk) => chunk.length > 0) };
  });

function taped(chunks: readonly Uint8Array[], bytesMax?: number): BodyTape {
  const tape = new BodyTape(bytesMax);
  for (const [index, chunk] of chunks.entries()) tape.keep(chunk, index);
  return tape;
}

describe('BodyTape', () => {
  it('joins what was cut anywhere to the very bytes, and keeps where it was cut', () => {
    fc.assert(
      fc.property(bodies, ({ bytes, chunks }) => {
        const tape = taped(chunks);
        expect(tape.whole).toEqual(bytes);
        expect(tape.chunks.map(([offsetUs]) => offsetUs)).toEqual(chunks.map((_, index) => index));
        expect(tape.cut).toBeUndefined();
      }),
    );
  });

  it('counts and digests what is longer than it keeps as if it had never been cut', () => {
    fc.assert(
      fc.property(bodies, fc.nat({ max: 60 }), ({ bytes, chunks }, bytesMax) => {
        const tape = taped(chunks, bytesMax);
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        expect(tape.cut).toEqual(bytes.length > bytesMax ? { bytes: bytes.length, sha256 } : undefined);
        expect(tape.whole).toEqual(bytes.length > bytesMax ? Buffer.alloc(0) : bytes);
      }),
    );
  });

  it('copies what it keeps: the host may write over its buffer', () => {
    fc.assert(
      fc.property(bodies, ({ bytes, chunks }) => {
        const copies = chunks.map((chunk) => Buffer.from(chunk));
        const tape = taped(copies);
        for (const copy of copies) copy.fill(0);
        expect(tape.whole).toEqual(bytes);
      }),
    );
  });

  it('gives the end of a text, as long as asked for where there is so much', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.nat({ max: 30 }),
        (texts, charactersMin) => {
          const text = texts.join('');
          const tail = taped(texts.map((part) => Buffer.from(part))).tail(charactersMin);
          expect(text.endsWith(tail)).toBe(true);
          expect(tail.length).toBeGreaterThanOrEqual(Math.min(charactersMin, text.length));
        },
      ),
    );
  });
});
