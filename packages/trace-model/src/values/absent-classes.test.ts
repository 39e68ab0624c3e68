import { describe, expect, it } from 'vitest';
import { absentClasses, minifiedClasses } from './absent-classes.ts';
import { registerErrorClass } from './error-record.ts';
import { registerValueClass } from './value-classes.ts';
import { encodeValue } from './value-codec.ts';

const minified = { Ib: class Ib {}, e: class e extends Error {}, zz: class zz extends Error {} };
registerValueClass(minified.Ib);
registerErrorClass(minified.e);

describe('classes that a minifier named', () => {
  it('are told where an instance of theirs is made again, however deep it lies', () => {
    const { payload } = encodeValue({ list: [new Map([['order', new minified.Ib()]])] });
    expect([minifiedClasses(payload), absentClasses(payload)]).toEqual([['Ib'], []]);
  });

  it('are told of errors that come back as instances, and of no others', () => {
    expect(minifiedClasses(encodeValue(new minified.e('no')).payload)).toEqual(['e']);
    expect(minifiedClasses(encodeValue(new minified.zz('no')).payload)).toEqual([]);
  });

  it('are none that a person named, and none of a value that only has such a member', () => {
    class Order {}
    registerValueClass(Order);
    const { payload } = encodeValue({ order: new Order(), flight: { class: 'A' }, failed: new TypeError('no') });
    expect(minifiedClasses(payload)).toEqual([]);
  });
});
