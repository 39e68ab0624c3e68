import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VALUE_DEPTH_MAX } from '../limits.ts';
import { registerErrorClass } from './error-record.ts';
import { registerValueClass } from './value-classes.ts';
import { decodeValue, encodeValue } from './value-codec.ts';

class BrokerError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number) {
    super(`broker says ${code}`);
    this.name = 'BrokerError';
    this.code = code;
    this.status = status;
  }
}

class Quote {
  readonly symbol: string;
  #secret = 1;

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  get label(): string {
    return `${this.symbol}/${this.#secret}`;
  }
}

class Position {
  quantity = 0;

  get isEmpty(): boolean {
    return this.quantity === 0;
  }
}

function formOf(...pairs: readonly string[]): FormData {
  const form = new FormData();
  for (let index = 0; index < pairs.length; index += 2) form.append(pairs[index] ?? '', pairs[index + 1] ?? '');
  return form;
}

function roundTrip(value: unknown): unknown {
  return decodeValue(encodeValue(value).payload);
}

describe('plain JSON', () => {
  it('stays plain JSON that any tool can read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { payload, lossy } = encodeValue(value);
        expect(lossy).toEqual([]);
        if (payload.format !== 'json') {
          // -0 and shared references are the only things JSON values can hold that JSON cannot.
          expect(JSON.stringify(value)).toMatch(/-?0|[[{]/);
        }
        expect(decodeValue(payload)).toEqual(value);
      }),
    );
  });

  it('keeps the exact text of a typical tool result', () => {
    const { payload } = encodeValue({ symbol: 'ACME', price: 190.5, bids: [1, 2] });
    expect(payload.format).toBe('json');
    expect(payload.data).toBe('{"symbol":"ACME","price":190.5,"bids":[1,2]}');
  });

  it('keeps a "$" key of the user apart from a tag', () => {
    const value = { $: 'bigint', value: '7' };
    expect(roundTrip(value)).toEqual(value);
    expect(roundTrip({ nested: [value] })).toEqual({ nested: [value] });
    // Beside what makes the whole of it tagged.
    expect(roundTrip({ nested: [value], missing: undefined })).toStrictEqual({ nested: [value], missing: undefined });
  });
});

describe('typed values', () => {
  it('come back with the same types and contents, nested anyhow', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withNullPrototype: true,
      withSparseArray: true,
      withUnicodeString: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const { payload, lossy } = encodeValue(value);
        expect(lossy).toEqual([]);
        expect(decodeValue(payload)).toStrictEqual(value);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['-0', -0],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['bigint', 2n ** 80n],
    ['an invalid date', new Date(Number.NaN)],
    ['a date', new Date('2026-11-17T15:14:00.123Z')],
    ['a registered symbol', Symbol.for('reenact.test')],
    ['a lone surrogate', 'sell \ud800 shares'],
    ['a regular expression', /a(b)c/giu],
    ['a URL', new URL('https://user@example.com/a?b=c#d')],
    ['undefined in an object', { a: undefined }],
    ['a form', [formOf('side', 'buy', 'side', 'sell')]],
    ['boxed values', [Object(1), Object('s'), Object(2n), Object(Symbol.for('reenact.test'))]],
    ['a hole in an array', Object.assign(new Array(3), { 0: 1, 2: 3 })],
    ['an own __proto__ key', JSON.parse('{"__proto__":{"polluted":true}}')],
  ])('%s', (_name, value) => {
    expect(roundTrip(value)).toStrictEqual(value);
    expect(encodeValue(value).lossy).toEqual([]);
  });
});

describe('typed values, looked at closely', () => {
  it('keeps the lastIndex of a regular expression', () => {
    const expression = /a/g;
    expression.lastIndex = 3;
    expect((roundTrip(expression) as RegExp).lastIndex).toBe(3);
  });

  it('keeps only the bytes of a Buffer view, never the pool behind it', () => {
    const pool = Buffer.from('secret-ACME-secret');
    const { payload } = encodeValue(pool.subarray(7, 11));
    expect(payload.data).not.toContain(Buffer.from('secret').toString('base64').slice(0, 6));
    const back = decodeValue(payload);
    expect(Buffer.isBuffer(back)).toBe(true);
    expect(String(back)).toBe('ACME');
  });

  it.runIf('Float16Array' in globalThis)('keeps an array of half floats', () => {
    const halves: unknown = Reflect.construct(Reflect.get(globalThis, 'Float16Array'), [[1.5, Number.NaN]]);
    expect(roundTrip(halves)).toStrictEqual(halves);
  });

  it('keeps the texts and the files of a form', async () => {
    const form = formOf('symbol', 'ACME');
    form.append('attachment', new File(['content'], 'a.txt', { type: 'text/plain', lastModified: 7 }));
    const [text, [name, file] = []] = Array.from(roundTrip(form) as FormData);
    expect([text, name, file instanceof File]).toEqual([['symbol', 'ACME'], 'attachment', true]);
    const { name: title, type, lastModified } = file as File;
    expect([title, type, lastModified, await (file as File).text()]).toEqual(['a.txt', 'text/plain', 7, 'content']);
  });

  it('does not pollute prototypes', () => {
    roundTrip(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('arrays that are more than a list', () => {
  it('keep what a regular expression matched, with its index and groups', () => {
    const match = 'buy 1,000'.match(/(?<verb>buy) (?<count>[\d,]+)/d);
    const { payload, lossy } = encodeValue({ match });
    expect(lossy).toEqual([]);
    const back = (decodeValue(payload) as { match: RegExpMatchArray }).match;
    expect(back).toStrictEqual(match);
    expect([back.index, back.input, back.groups?.count]).toEqual([0, 'buy 1,000', '1,000']);
  });

  it('keep holes and members side by side, and themselves among their members', () => {
    const list: unknown[] & { self?: unknown } = Object.assign(new Array(4), { 1: undefined, 3: 'x' });
    list.self = list;
    const back = roundTrip(list) as typeof list;
    expect([back.length, 0 in back, 1 in back, 3 in back, back.self === back]).toEqual([4, false, true, true, true]);
  });

  it('keep members that are as many as the holes', () => {
    const list = Object.assign(new Array(2), { 1: 'x', note: 'y' });
    const { payload, lossy } = encodeValue(list);
    expect([decodeValue(payload), lossy]).toStrictEqual([list, []]);
  });

  it.each([5_000, 4_294_967_295])('with %i places of which nearly all are empty cost what is there', (length) => {
    const list = new Array<unknown>(length);
    list[length - 2] = { price: 1 };
    const { payload, lossy } = encodeValue(list);
    expect([lossy, (payload.data ?? '').length < 200]).toEqual([[], true]);
    const back = decodeValue(payload) as unknown[];
    expect([back.length, back[length - 2], Object.keys(back)]).toEqual([length, { price: 1 }, [String(length - 2)]]);
  });
});

describe('shared and cyclic values', () => {
  it('keep their shape', () => {
    const shared = { price: 1 };
    const value: Record<string, unknown> = { left: shared, right: shared, list: [shared] };
    value.self = value;
    const back = roundTrip(value) as typeof value & { left: object; right: object; list: object[] };
    expect(back.self).toBe(back);
    expect(back.left).toBe(back.right);
    expect(back.list[0]).toBe(back.left);
  });

  it('keep who is who however many objects there are', () => {
    const indexes = fc.array(fc.nat({ max: 99 }), { maxLength: 150, size: 'max' });
    fc.assert(
      fc.property(indexes, (order) => {
        const objects = Array.from({ length: 100 }, (_, number) => ({ number }));
        const list = order.map((index) => objects[index]);
        const again = decodeValue(encodeValue(list).payload) as unknown[];
        expect(again).toEqual(list);
        expect(again.map((item) => again.indexOf(item))).toEqual(list.map((item) => list.indexOf(item)));
      }),
    );
  });

  it('keep an own __proto__ key beside what is shared', () => {
    const shared = JSON.parse('{"__proto__":{"polluted":true}}') as object;
    const value = [shared, shared];
    const back = roundTrip(value) as [object, object];
    expect(back).toStrictEqual(value);
    expect([back[0] === back[1], Object.keys(back[0])]).toEqual([true, ['__proto__']]);
  });

  it('keep cycles through maps and sets', () => {
    const map = new Map<string, unknown>();
    map.set('me', map).set('all', new Set([map]));
    const back = roundTrip(map) as Map<string, unknown>;
    expect(back.get('me')).toBe(back);
    expect((back.get('all') as Set<unknown>).has(back)).toBe(true);
  });
});

describe('errors', () => {
  it('keep the marks under registered symbols by which libraries know their own', () => {
    const mark = Symbol.for('some.package.error');
    const members = { [mark]: true, [Symbol.for('some.package.secret')]: 'no mark', [Symbol('private')]: true };
    const back = decodeValue(encodeValue(Object.assign(new TypeError('x'), members)).payload) as object;
    expect(Object.getOwnPropertySymbols(back)).toEqual([mark]);
    expect(Reflect.get(back, mark)).toBe(true);
  });

  it('come back as their class with message, code, status, stack, cause and own fields', () => {
    registerErrorClass(BrokerError);
    const error = new BrokerError('HALTED', 423);
    error.cause = new TypeError('socket closed', { cause: { attempt: 2n } });
    const { payload, lossy } = encodeValue(error);
    expect(lossy).toEqual([]);
    const back = decodeValue(payload) as BrokerError;
    expect(back).toBeInstanceOf(BrokerError);
    expect(back).toBeInstanceOf(Error);
    expect({ ...back }).toEqual({ ...error });
    expect(back.message).toBe(error.message);
    expect(back.stack).toBe(error.stack);
    expect(back.cause).toBeInstanceOf(TypeError);
    expect((back.cause as Error).cause).toEqual({ attempt: 2n });
  });

  it('of a function of Node.js that was called off come back as such, and those of another class of the name are marked lossy', async () => {
    const error = await sleep(1, undefined, { signal: AbortSignal.abort('enough') }).catch((thrown: unknown) => thrown);
    const { payload, lossy } = encodeValue(error);
    expect(lossy).toEqual([]);
    const back = decodeValue(payload) as Error;
    expect({ ...back, cause: back.cause }).toEqual({ code: 'ABORT_ERR', name: 'AbortError', cause: 'enough' });
    expect([back.constructor.name, String(back)]).toEqual(['AbortError', String(error)]);
    const Other = { AbortError: class extends Error {} }.AbortError;
    expect(encodeValue(new Other('no')).lossy).toEqual(['/ error-class AbortError']);
    registerErrorClass(Other);
    expect(decodeValue(encodeValue(error).payload)).not.toBeInstanceOf(Other);
    expect(decodeValue(encodeValue(new Other('no')).payload)).toBeInstanceOf(Other);
  });

  it('keep a cause that is undefined apart from none', () => {
    const named = roundTrip([new Error('a', { cause: undefined }), new Error('b')]) as [Error, Error];
    expect(named.map((error) => Object.hasOwn(error, 'cause'))).toEqual([true, false]);
  });

  it('of an unknown class keep its name and are marked lossy', () => {
    const Unknown = { RateLimited: class extends Error {} }.RateLimited;
    const { payload, lossy } = encodeValue(new Unknown('slow down'));
    expect(lossy).toEqual(['/ error-class RateLimited']);
    const back = decodeValue(payload) as Error;
    expect(back).toBeInstanceOf(Error);
    expect(back.constructor.name).toBe('RateLimited');
    expect(back.message).toBe('slow down');
  });

  it('keep aggregate members and abort errors', () => {
    const aggregate = new AggregateError([new RangeError('a'), 'b'], 'all failed');
    const back = roundTrip(aggregate) as AggregateError;
    expect(back.errors[0]).toBeInstanceOf(RangeError);
    expect(back.errors[1]).toBe('b');
    const abort = roundTrip(new DOMException('stopped', 'AbortError')) as DOMException;
    expect(abort).toBeInstanceOf(DOMException);
    expect([abort.name, abort.message, abort.code]).toEqual(['AbortError', 'stopped', 20]);
  });
});

describe('what cannot be kept', () => {
  it('is named with its place and never throws', () => {
    const hostile = {
      callback: () => 1,
      get broken(): never {
        throw new RangeError('no');
      },
      promise: Promise.resolve(1),
      fine: 1,
    };
    const { payload, lossy } = encodeValue(hostile);
    expect(lossy).toEqual(['/callback function', '/broken unreadable (no)', '/promise handle Promise']);
    expect((decodeValue(payload) as typeof hostile).fine).toBe(1);
  });

  it('reads each member once', () => {
    let reads = 0;
    const counting = {
      list: [undefined, 1],
      get price(): number {
        reads += 1;
        return reads;
      },
    };
    expect((roundTrip(counting) as typeof counting).price).toBe(1);
    expect(reads).toBe(1);
  });

  it('is named by a pointer whose steps are escaped, however deep', () => {
    const value = { 'a/b': [new Map([['m~n', { callback: () => 1 }]])] };
    expect(encodeValue(value).lossy).toEqual(['/a~1b/0/0/callback function']);
  });

  it('survives a proxy that throws on everything', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(encodeValue({ proxy }).lossy).toHaveLength(1);
    const callable = Proxy.revocable(() => {}, {});
    callable.revoke();
    expect(encodeValue(callable.proxy).lossy).toContain('/ function');
  });

  it('survives nesting far beyond the stack', () => {
    const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((value) => [value], 1);
    expect(encodeValue(nested(50_000)).lossy[0]).toMatch(/too-deep$/);
    expect(roundTrip(nested(VALUE_DEPTH_MAX + 1))).toEqual(nested(VALUE_DEPTH_MAX + 1));
    expect(encodeValue(nested(VALUE_DEPTH_MAX + 2)).lossy).toEqual([`${'/0'.repeat(VALUE_DEPTH_MAX + 1)} too-deep`]);
  });

  it('survives what throws something of which no text can be made', () => {
    const fail = (): never => {
      throw Object.create(null);
    };
    const list = Object.defineProperty([1, 2], 0, { enumerable: true, get: fail });
    const values = [Object.defineProperty({}, 'x', { enumerable: true, get: fail }), list];
    for (const value of [...values, new Proxy({}, { getPrototypeOf: fail, ownKeys: fail })]) {
      const { payload, lossy } = encodeValue(value);
      expect(lossy).toEqual([expect.stringMatching(/^\/x? ?unreadable \(no reason can be read\)$/)]);
      expect(() => decodeValue(payload)).not.toThrow();
    }
  });
});

describe('what is kept but for a part', () => {
  it('includes what a class of the user adds to one of the platform', () => {
    class Prices extends Array<number> {}
    class Book extends Map<string, number> {}
    class Packet extends Uint8Array {}
    const named = { at: new Date(5), extra: Object.assign(new Date(5), { zone: 'UTC' }) };
    const values = [Prices.from([1]), new Book([['a', 1]]), new Packet([7]), named];
    const { payload, lossy } = encodeValue(values);
    expect(lossy).toEqual(['/0 class Prices', '/1 class Book', '/2 class Packet', '/3/extra members']);
    expect(decodeValue(payload)).toEqual([[1], new Map([['a', 1]]), new Uint8Array([7]), named]);
  });

  it('includes members under symbols, and what is a list only to look at', () => {
    const listLike = (function argumentsOf(..._: unknown[]) {
      // biome-ignore lint/complexity/noArguments: it is what is tried here.
      return arguments;
    })(1, 2);
    const { lossy } = encodeValue({ marked: { [Symbol.for('reenact.test')]: 1 }, listLike });
    expect(lossy).toEqual(['/marked symbol-members', '/listLike members', '/listLike class Arguments']);
  });

  it('includes what is beyond two million objects, of which the first places are told', () => {
    const { payload, lossy } = encodeValue(Array.from({ length: 2_000_500 }, () => ({})));
    expect([lossy.length, lossy[0], lossy.at(-1)]).toEqual([100, '/1999999 too-large', '/2000098 too-large']);
    expect((decodeValue(payload) as unknown[]).slice(1_999_998, 2_000_000)).toEqual([{}, undefined]);
  });

  it('includes memory that other threads may write to', () => {
    const shared = new Uint8Array(new SharedArrayBuffer(2));
    const { payload, lossy } = encodeValue({ own: new Uint8Array(2), shared });
    expect(lossy).toEqual(['/shared class SharedArrayBuffer']);
    expect(decodeValue(payload)).toEqual({ own: new Uint8Array(2), shared: new Uint8Array(2) });
  });

  it('is told of the first places where nesting is too deep at many', () => {
    const deep = (): unknown => Array.from({ length: 500 }).reduce((value) => [value], 1);
    const { lossy } = encodeValue(Array.from({ length: 200 }, deep));
    expect([lossy.length, lossy.every((mark) => mark.endsWith(' too-deep'))]).toEqual([100, true]);
  });

  it('includes instances of classes nobody registered; registered ones come back whole', () => {
    expect(encodeValue(new Quote('ACME')).lossy).toEqual(['/ class Quote']);
    registerValueClass(Position);
    const position = Object.assign(new Position(), { quantity: 7 });
    expect(encodeValue(position).lossy).toEqual([]);
    const back = roundTrip(position) as Position;
    expect(back).toBeInstanceOf(Position);
    expect(back.isEmpty).toBe(false);
  });
});

describe('own members of an error', () => {
  class ServerError extends Error {
    readonly length = 90;
    constructor(message: string) {
      super(message);
      this.name = 'error';
      Object.assign(this, { severity: 'ERROR', code: '42P01' });
      // As wrappers of drivers do, to say what was asked.
      Object.defineProperty(this, 'message', { value: `select - ${message}`, enumerable: true });
    }
  }

  it.each([true, false])('come back in their order, and only those that were own: class known %s', (isKnown) => {
    if (isKnown) registerErrorClass(ServerError);
    const error = new ServerError('no such table');
    const back = roundTrip(error) as ServerError;
    expect(Object.keys(error)).toEqual(['message', 'length', 'name', 'severity', 'code']);
    expect(JSON.stringify(back)).toBe(JSON.stringify(error));
    expect(Object.getOwnPropertyNames(back).sort()).toEqual(Object.getOwnPropertyNames(error).sort());
  });

  it('are without a name that stands on the prototype, of an unknown class, too', () => {
    class Named extends Error {
      override get name(): string {
        return 'DriverError';
      }
    }
    const back = roundTrip(new Named('gone')) as Error;
    expect([back.name, String(back), Object.hasOwn(back, 'name')]).toEqual(['DriverError', 'DriverError: gone', false]);
    expect([back.constructor.name, Object.keys(Object.getPrototypeOf(back) as object)]).toEqual(['Named', []]);
  });
});

describe('an instance that holds its class', () => {
  /** As those of decimal.js, whose copies share one prototype. */
  class Decimal {
    readonly digits: number[];
    constructor(...digits: number[]) {
      Object.assign(this, { constructor: Decimal });
      this.digits = digits;
    }
    plus(digit: number): Decimal {
      const own = Object.getOwnPropertyDescriptor(this, 'constructor')?.value as typeof Decimal;
      return new own(...this.digits, digit);
    }
  }

  it('holds it again where the class is known, and has lost a function where it is not', () => {
    const price = new Decimal(1, 1);
    expect(encodeValue(price).lossy).toEqual(['/ class Decimal', '/constructor function']);
    registerValueClass(Decimal);
    expect(encodeValue(price).lossy).toEqual([]);
    const back = roundTrip(price) as Decimal;
    expect(Object.keys(back)).toEqual(Object.keys(price));
    expect(back.plus(7)).toEqual(new Decimal(1, 1, 7));
    expect(encodeValue({ constructor: Decimal }).lossy).toEqual(['/constructor function']);
  });
});

describe('each decode', () => {
  it('gives a fresh value, so that a mutation never reaches the recording', () => {
    const { payload } = encodeValue({ list: [1] });
    (decodeValue(payload) as { list: number[] }).list.push(2);
    expect(decodeValue(payload)).toEqual({ list: [1] });
  });
});
