import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClassFinder, classFinder, setClassFinder } from './class-finder.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

/** As a document of an object mapper: what it shows of itself is little of what it is. */
class Order {
  readonly #fields: object;
  readonly hasUnsaved: boolean;

  constructor(fields: object, hasUnsaved = false) {
    this.#fields = fields;
    this.hasUnsaved = hasUnsaved;
  }

  get fields(): object {
    return this.#fields;
  }
}

const finder: ClassFinder = {
  findValueClass: () => undefined,
  findErrorClass: () => undefined,
  modelled: (value) =>
    value instanceof Order ? { name: 'mapper:Order', fields: value.fields, isPartial: value.hasUnsaved } : undefined,
  makerOf: (name) => (name === 'mapper:Order' ? (fields) => new Order(fields) : undefined),
};

const before = classFinder();
beforeEach(() => setClassFinder(finder));
afterEach(() => setClassFinder(before as ClassFinder));

describe('what a library makes of plain fields', () => {
  it('is made by it again, and is marked where it has more than they say', () => {
    const at = new Date(5);
    const { payload, lossy } = encodeValue([new Order({ shares: 3, at }), new Order({ shares: 4 }, true)]);
    expect(lossy).toEqual(['/1 class mapper:Order']);
    const orders = decodeValue(payload) as Order[];
    expect(orders.map((order) => order instanceof Order)).toEqual([true, true]);
    expect(orders.map(({ fields }) => fields)).toEqual([{ shares: 3, at }, { shares: 4 }]);
  });
});
