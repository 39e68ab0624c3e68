import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkBytes, toChunk } from './exchange.ts';

describe('a chunk', () => {
  it('keeps any bytes through JSON, split characters included', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64, size: 'max' }), (bytes) => {
        const chunk = JSON.parse(JSON.stringify(toChunk(7, bytes)));
        expect(Buffer.from(chunkBytes(chunk)).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('is readable text where the bytes are text', () => {
    expect(toChunk(1, Buffer.from('data: {"€":1}\n\n'))).toEqual([1, 'data: {"€":1}\n\n']);
  });

  it('takes no more room than base64 where there are many control characters, which JSON escapes one by one', () => {
    const zeros = Buffer.alloc(64 * 1024);
    const chunk = toChunk(1, zeros);
    expect(JSON.stringify(JSON.stringify(chunk)).length).toBeLessThan(zeros.length * 1.4);
    expect(Buffer.from(chunkBytes(chunk)).equals(zeros)).toBe(true);
  });

  it.each([
    ['with a colour at every word', '\u001b[31mred\u001b[0m '.repeat(1_000)],
    ['of lines and tabs only', '\r\n\t'.repeat(4_000)],
    ['of few control characters', '\u0000'.repeat(100)],
  ])('is readable text %s', (_, text) => {
    expect(toChunk(1, Buffer.from(text))).toEqual([1, text]);
  });

  it('is base64 where a character is cut in two', () => {
    const half = Buffer.from('€').subarray(0, 2);
    expect(toChunk(1, half)).toEqual([1, { base64: half.toString('base64') }]);
  });
});
