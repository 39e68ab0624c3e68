import { describe, expect, it } from 'vitest';
import type { Payload } from '../payloads/payload.ts';
import { registerErrorClass } from './error-record.ts';
import { servedClasses } from './served-classes.ts';
import { registerValueClass } from './value-classes.ts';
import { encodeValue } from './value-codec.ts';

const ofBundle = { Ib: class Ib {}, e: class e extends Error {}, zz: class zz extends Error {} };
registerValueClass(ofBundle.Ib);
registerErrorClass(ofBundle.e);

function listed(payload: Payload): { readonly absent: string[]; readonly minified: string[] } {
  const { absent, minified } = servedClasses(payload);
  return { absent: [...absent], minified: [...minified] };
}

describe('classes that a minifier named', () => {
  it('are told where an instance of theirs is made again, however deep it lies', () => {
    const { payload } = encodeValue({ list: [new Map([['order', new ofBundle.Ib()]])] });
    expect(listed(payload)).toEqual({ minified: ['Ib'], absent: [] });
  });

  it('are told of errors that come back as instances, and of no others', () => {
    expect(listed(encodeValue(new ofBundle.e('no')).payload).minified).toEqual(['e']);
    expect(listed(encodeValue(new ofBundle.zz('no')).payload).minified).toEqual([]);
  });

  it('are none that a person named, and none of a value that only has such a member', () => {
    class Order {}
    registerValueClass(Order);
    const { payload } = encodeValue({ order: new Order(), flight: { class: 'A' }, failed: new TypeError('no') });
    expect(listed(payload).minified).toEqual([]);
  });
});
