import { describe, expect, it, vi } from 'vitest';
import { registerErrorClass } from './error-record.ts';
import { registerLibraryClass, registerValueClass } from './value-classes.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

function hiding<Value extends object>(value: Value, name = 'limit'): Value {
  return Object.defineProperty(value, name, { value: 1000, enumerable: false });
}

const lossyOf = (value: unknown): readonly string[] => encodeValue(value).lossy;

describe('members that do not show', () => {
  it('are told of what is given itself', () => {
    expect(lossyOf([hiding({ quantity: 1 }), { quantity: 1 }])).toEqual(['/0 members']);
    expect(lossyOf(hiding({ quantity: 1 }))).toEqual(['/ members']);
  });

  it('are told of the first of a list, which stands for its rows, wherever that is', () => {
    const rows = [hiding({ quantity: 1 }), hiding({ quantity: 2 })];
    expect(lossyOf({ result: { rows, others: [{ quantity: 1 }] } })).toEqual(['/result/rows/0 members']);
  });

  it('are told by name where all there is of them is the id of the request that a model answered', () => {
    const answer = (): object => hiding({ id: 'chatcmpl-1', choices: [] }, '_request_id');
    expect(lossyOf([answer()])).toEqual(['/0 request-id']);
    expect(lossyOf([hiding(answer())])).toEqual(['/0 members']);
  });

  it('are told of instances of registered classes, wherever they stand', () => {
    class Hidden {
      readonly shown = 1;
    }
    registerValueClass(Hidden);
    expect(lossyOf({ deep: { er: [new Hidden()] } })).toEqual([]);
    expect(lossyOf({ deep: { er: [hiding(new Hidden())] } })).toEqual(['/deep/er/0 members']);
  });

  it('are told of where they stand under symbols, but for what the class itself can read and set', () => {
    const key = Symbol('id');
    class Bare {
      readonly [key] = 7;
    }
    class Telling {
      [key] = 7;
      get id(): number {
        return this[key];
      }
      set id(value: number) {
        this[key] = value;
      }
    }
    registerValueClass(Bare);
    registerLibraryClass(Telling, { accessors: ['id'] });
    expect(lossyOf([new Bare()])).toEqual(['/0 symbol-members']);
    const told = Object.assign(new Telling(), { id: 8 });
    const { payload, lossy } = encodeValue(told);
    expect(lossy).toEqual([]);
    expect(decodeValue(payload)).toStrictEqual(told);
  });

  it('are no loss where they are marks of tools', () => {
    expect(lossyOf([hiding(new Error('x'), '__captured__'), hiding({}, '__observer')])).toEqual([]);
  });
});

describe('members of an error that do not show', () => {
  it('come back, and still do not show', () => {
    class HiddenError extends Error {}
    registerErrorClass(HiddenError);
    const shared = ['$1', { at: new Date(0) }];
    const error = hiding(Object.assign(new HiddenError('x', { cause: { shared } }), { shared }), 'parameters');
    const { payload, lossy } = encodeValue(Object.defineProperty(error, 'args', { value: shared }));
    expect(lossy).toEqual([]);
    const again = decodeValue(payload) as HiddenError & { args: unknown; shared: unknown };
    expect(again).toBeInstanceOf(HiddenError);
    expect(Object.keys(again)).toEqual(['shared']);
    expect(Object.getOwnPropertyNames(again).toSorted()).toEqual(Object.getOwnPropertyNames(error).toSorted());
    expect([Reflect.get(again, 'parameters'), again.args]).toEqual([1000, shared]);
    expect((again.cause as { shared: unknown }).shared).toBe(again.shared);
  });

  it('are told of where they are methods, or read by code of its own', () => {
    class HiddenError extends Error {}
    registerErrorClass(HiddenError);
    const suppressed = new AggregateError([new RangeError('x', { cause: 1 })], 'all');
    expect(lossyOf([new HiddenError('x'), suppressed, new DOMException('gone', 'AbortError')])).toEqual([]);
    const telling = Object.defineProperty(new HiddenError('x'), 'retry', { value: () => 1 });
    const read = Object.defineProperty(new HiddenError('x'), 'isEmpty', { get: () => true });
    expect(lossyOf([telling, read])).toEqual(['/0 members', '/1 members']);
  });
});

describe('members of lists and of the classes of the platform', () => {
  it('are told of where they do not show, and where they stand under symbols', () => {
    const key = Symbol.for('hung on');
    for (const value of [[1], new Map(), new Set(), new Date(0), /a/]) {
      expect(lossyOf(Object.assign(value, { [key]: 1 }))).toEqual(['/ symbol-members']);
      expect(lossyOf(hiding(value))).toEqual(expect.arrayContaining(['/ members']));
    }
    expect(lossyOf({ deep: { er: [Object.assign([1], { [key]: 1 })] } })).toEqual(['/deep/er/0 symbol-members']);
    expect(lossyOf(Object.assign(Object('text'), { more: 1 }))).toEqual(['/ members']);
    expect(lossyOf(Object.assign(new Error('no'), { [key]: 1 }))).toEqual(['/ symbol-members']);
    // A brand, by which a library tells its errors also where it is there twice: their class is kept.
    expect(lossyOf(Object.defineProperty(new Error('no'), key, { value: new Set(['mine']) }))).toEqual([]);
    const template = (texts: TemplateStringsArray, ..._: unknown[]): TemplateStringsArray => texts;
    expect(lossyOf([template`a${1}b`, Object('text'), /a/g, Buffer.from('a'), new URL('http://a/?b')])).toEqual([]);
  });
});

describe('a large value', () => {
  /** How many names are listed, and how many of them looked at one by one, while a value is encoded. */
  function workOf(value: unknown): number {
    let work = 0;
    const { getOwnPropertyNames } = Object;
    const isEnumerable = Object.prototype.propertyIsEnumerable;
    vi.spyOn(Object, 'getOwnPropertyNames').mockImplementation((of: unknown) => {
      const names = getOwnPropertyNames(of);
      work += names.length;
      return names;
    });
    vi.spyOn(Object.prototype, 'propertyIsEnumerable').mockImplementation(function count(this: unknown, name) {
      work += 1;
      return isEnumerable.call(this, name);
    });
    try {
      encodeValue(value);
    } finally {
      vi.restoreAllMocks();
    }
    return work;
  }

  it('is not looked through for members that do not show but by what they are', () => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index);
    for (const value of [numbers, [numbers], [Array.from(numbers, (id) => ({ id }))]]) {
      expect(workOf(value)).toBeLessThan(20);
    }
    // The names of its characters are listed once.
    expect(workOf(Object('x'.repeat(10_000)))).toBeLessThan(10_010);
  });

  it('is told of all the same where it has some', () => {
    const numbers = (): number[] => Array.from({ length: 1_000 }, (_, index) => index);
    expect(lossyOf(numbers())).toEqual([]);
    expect(lossyOf(hiding(numbers()))).toEqual(['/ members']);
    expect(lossyOf(hiding(hiding(numbers(), 'raw'), '__mark'))).toEqual([]);
    expect(lossyOf(hiding(new Array(1)))).toEqual(['/ members']);
    expect(lossyOf(hiding(new Array(1_000)))).toEqual(['/ members']);
    expect(lossyOf(Object.assign(numbers(), { shown: 1 }))).toEqual([]);
  });
});
