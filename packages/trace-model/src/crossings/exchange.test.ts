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

  it('is base64 where a character is cut in two', () => {
    const half = Buffer.from('€').subarray(0, 2);
    expect(toChunk(1, half)).toEqual([1, { base64: half.toString('base64') }]);
  });
});
