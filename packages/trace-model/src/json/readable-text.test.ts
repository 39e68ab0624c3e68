import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { payloadTree } from '../payloads/payload-tree.ts';
import { encodeValue } from '../values/value-codec.ts';
import { readableText } from './readable-text.ts';

function readable(value: unknown): string {
  return readableText(payloadTree(encodeValue(value).payload));
}

describe('a recorded value for people', () => {
  it('has words for what JSON has none for, at any depth', () => {
    expect(readable(undefined)).toBe('undefined');
    expect(readable([undefined, { at: new Date(0), big: 12n, not: Number.NaN, zero: -0 }])).toBe(
      '[undefined,{"at":Date(1970-01-01T00:00:00.000Z),"big":12n,"not":NaN,"zero":-0}]',
    );
    expect(readable([Number.POSITIVE_INFINITY, new Date(Number.NaN)])).toBe('[Infinity,Date(invalid)]');
  });

  it('keeps apart what somebody named like a tag', () => {
    expect(readable({ $: 'undefined' })).not.toBe('undefined');
    expect(readable({ $: 'bigint', value: '1' })).not.toBe('1n');
  });

  it('is JSON where the value is', () => {
    // A member named $ is told apart from a tag, and JSON has no -0: those are not plain JSON.
    const plain = fc.jsonValue().filter((value) => encodeValue(value).payload.format === 'json');
    fc.assert(
      fc.property(plain, (value) => {
        expect(readable(value)).toBe(JSON.stringify(value));
      }),
    );
  });
});
