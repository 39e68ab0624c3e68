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

  it('has an object by its fields: a row without a prototype, one of a class, one with a member like a tag', () => {
    class Order {
      readonly id = 7;
    }
    const row = Object.assign(Object.create(null), { id: 2, note: undefined }) as object;
    expect(readable([row, new Order()])).toBe('[{"id":2,"note":undefined},Order {"id":7}]');
    expect(readable({ $: 'bigint', value: '1' })).toBe('{"$":"bigint","value":"1"}');
  });

  it('ends where a value holds itself, and says what is there twice', () => {
    const loop: Record<string, unknown> = { name: 'a' };
    loop.self = loop;
    expect(readable(loop)).toBe('<ref *0> {"name":"a","self":[ref *0]}');
    const shared = { x: 1 };
    expect(readable([shared, shared])).toBe('[<ref *1> {"x":1},[ref *1]]');
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
