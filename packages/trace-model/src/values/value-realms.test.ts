import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { decodeValue, encodeValue } from './value-codec.ts';

describe('values of another realm, as Jest and `node:vm` have', () => {
  it('come back as those of this one', () => {
    const made = `({
      plain: { a: [1, {}] }, date: new Date(5), map: new Map([[{ k: 1 }, new Set([2])]]), pattern: /a+/gi,
      bytes: new Uint8Array([1, 2]), buffer: new Uint8Array([3]).buffer, boxed: new Number(7),
      error: Object.assign(new RangeError('far', { cause: new TypeError('near') }), { code: 'E_FAR', at: new Date(6) }),
    })`;
    const cause = new TypeError('near');
    const error = Object.assign(new RangeError('far', { cause }), { code: 'E_FAR', at: new Date(6) });
    const { payload, lossy } = encodeValue(runInNewContext(made));
    expect(lossy).toEqual([]);
    const decoded = decodeValue(payload) as { readonly error: Error };
    expect(decoded).toEqual({
      plain: { a: [1, {}] },
      date: new Date(5),
      map: new Map([[{ k: 1 }, new Set([2])]]),
      pattern: /a+/gi,
      bytes: new Uint8Array([1, 2]),
      buffer: new Uint8Array([3]).buffer,
      boxed: new Number(7),
      error,
    });
    expect(decoded.error).toBeInstanceOf(RangeError);
    expect(decoded.error.cause).toBeInstanceOf(TypeError);
  });

  it('are told apart from an object whose prototype the application made', () => {
    const own = Object.create(Object.assign(Object.create(null), { shared: 1 }));
    expect(encodeValue(Object.assign(own, { a: 1 })).lossy).not.toEqual([]);
  });
});
