import { describe, expect, it } from 'vitest';
import { registerLibraryClass, registerValueClass } from './value-classes.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

describe('classes that a library brings', () => {
  class Receipt {
    readonly shares = 3;
    declare readonly raw: { readonly ok: number };
    constructor() {
      Object.defineProperty(this, 'raw', { value: { ok: 1 }, enumerable: false });
    }
  }

  it('come back as instances, fields that do not show included', () => {
    registerLibraryClass(Receipt, { hidden: ['raw'] });
    const encoded = encodeValue([new Receipt()]);
    expect(encoded.lossy).toEqual([]);
    const [again] = decodeValue(encoded.payload) as [Receipt];
    expect([again instanceof Receipt, Object.keys(again), again.raw]).toEqual([true, ['shares'], { ok: 1 }]);
  });

  it('leave the name to a class of the user, whichever was registered first', () => {
    const OfUser = { Ticket: class Ticket {} }.Ticket;
    const OfLibrary = { Ticket: class Ticket {} }.Ticket;
    registerValueClass(OfUser);
    registerLibraryClass(OfLibrary);
    expect(decodeValue(encodeValue(new OfUser()).payload)).toBeInstanceOf(OfUser);
    expect([encodeValue(new OfUser()).lossy, encodeValue(new OfLibrary()).lossy]).toEqual([[], ['/ class Ticket']]);
  });

  it('makes no instance of a library class of what was of another class of that name', () => {
    const OfApplication = {
      Stamp: class Stamp {
        readonly at = 1;
      },
    }.Stamp;
    const OfLibrary = {
      Stamp: class Stamp {
        readonly at = 2;
      },
    }.Stamp;
    registerLibraryClass(OfLibrary);
    const { payload, lossy } = encodeValue({ stamp: new OfApplication() });
    expect(lossy).toEqual(['/stamp class Stamp']);
    const { stamp } = decodeValue(payload) as { stamp: object };
    expect(stamp).toEqual({ at: 1 });
    expect(stamp instanceof OfLibrary).toBe(false);
  });
});
