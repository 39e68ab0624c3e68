import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DICTIONARY_BYTES_MAX } from '../limits.ts';
import { buildDictionary } from './dictionary.ts';

/** Bytes that nothing else has, the same for the same name. */
function bytesOf(name: string, length: number): Buffer {
  const parts = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${name} ${index}`).digest(),
  );
  return Buffer.concat(parts).subarray(0, length);
}

function dictionaryOf(traces: readonly Uint8Array[]): Buffer | undefined {
  return buildDictionary(traces.length, (index) => traces[index] ?? Buffer.alloc(0));
}

describe('the dictionary of a pack', () => {
  it('holds what traces share, wherever it stands in them, and nothing of their own', () => {
    const length = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(fc.array(length, { minLength: 4, maxLength: 12 }), (before) => {
        const shared = bytesOf('shared', 20_000);
        const own = before.map((bytes, index) => bytesOf(`own ${index}`, bytes));
        const dictionary = dictionaryOf(own.map((bytes) => Buffer.concat([bytes, shared, bytes])));
        // Passages at both ends of what is shared are cut together with what stands beside them.
        const middle = shared.subarray(5_000, 15_000);
        const pieces = Array.from({ length: 100 }, (_, index) => middle.subarray(index * 100, index * 100 + 16));
        const found = pieces.filter((piece) => dictionary?.includes(piece) === true);
        expect(found.length).toBeGreaterThan(90);
        for (const bytes of own) {
          if (bytes.length >= 64) expect(dictionary?.includes(bytes.subarray(0, 32))).toBe(false);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('is none where traces share nothing, or are few', () => {
    const traces = Array.from({ length: 8 }, (_, index) => bytesOf(`${index}`, 10_000));
    expect(dictionaryOf(traces)).toBeUndefined();
    expect(dictionaryOf([bytesOf('same', 10_000), bytesOf('same', 10_000)])).toBeUndefined();
  });

  it('is no larger than its limit, and ends with what most share', () => {
    const common = bytesOf('common', 8_000);
    const traces = Array.from({ length: 16 }, (_, index) =>
      Buffer.concat([common, bytesOf(`pair ${index >> 1}`, 80_000)]),
    );
    const dictionary = dictionaryOf(traces);
    expect(dictionary?.length).toBeGreaterThan(DICTIONARY_BYTES_MAX / 2);
    expect(dictionary?.length).toBeLessThanOrEqual(DICTIONARY_BYTES_MAX);
    expect(dictionary?.subarray(-10_000).includes(common.subarray(4_000, 4_100))).toBe(true);
  });
});
