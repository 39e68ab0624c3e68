import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

class Money {
  readonly amount: number;
  readonly currency: string;

  constructor(amount: number, currency: string) {
    this.amount = amount;
    this.currency = currency;
  }

  toText(): string {
    return `${this.amount} ${this.currency}`;
  }
}

class OrderRejected extends Error {
  override readonly name = 'OrderRejected';
  readonly code = 'ERR_LIMIT';
  readonly status = 422;
  readonly limit = new Money(1000, 'USD');
}

const cyclic: { name: string; self?: unknown; list: unknown[] } = { name: 'cycle', list: [] };
cyclic.self = cyclic;
cyclic.list.push(cyclic);

const sparse: number[] = [1];
sparse[2] = 3;

const values: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 42],
  ['NaN', Number.NaN],
  ['minus zero', -0],
  ['infinity', Number.NEGATIVE_INFINITY],
  ['a bigint', 2n ** 70n],
  ['a registered symbol', Symbol.for('reenact.test')],
  ['text with a lone surrogate', 'a\ud800b'],
  ['a plain object', { deep: { er: [1, 'two', null] }, $: 'not a tag' }],
  ['an own __proto__ key', JSON.parse('{"__proto__": {"x": 1}}')],
  ['an object without prototype', Object.assign(Object.create(null), { a: 1 })],
  ['an array with a hole', sparse],
  ['a date', new Date('2026-01-02T03:04:05.678Z')],
  ['an invalid date', new Date(Number.NaN)],
  ['a map', new Map<unknown, unknown>([[{ key: 1 }, new Set([1, 'x'])]])],
  ['a regular expression', /a(b)?/giu],
  ['a URL', new URL('https://example.com/a?b=c#d')],
  ['bytes', new Uint8Array([0, 127, 255])],
  ['a buffer', Buffer.from('héllo')],
  ['big integers', new BigInt64Array([1n, -1n])],
  ['a cycle', cyclic],
  ['a registered class', new Money(3, 'EUR')],
  ['an error as a value', Object.assign(new RangeError('as value'), { extra: [1] })],
];

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

describe('a value that crossed is served again', () => {
  for (const [what, value] of values) {
    it(`as it was: ${what}`, async () => {
      let calls = 0;
      const count = async (): Promise<unknown> => {
        calls += 1;
        return value;
      };
      const read = tool('read', count, { values: [Money] });
      const run = agent('run', async () => read());
      const { recorded, replayed } = await recordAndReplay(host, run);
      expect(recorded).toStrictEqual({ value });
      expect(replayed).toStrictEqual({ value });
      expect(calls).toBe(1);
    });
  }

  it('with its methods, and fresh at every call', async () => {
    const read = tool('read', () => new Money(1, 'USD'), { values: [Money] });
    const seen: Money[] = [];
    const run = agent('run', () => {
      const money = read();
      seen.push(money);
      return money.toText();
    });
    const { replayed } = await recordAndReplay(host, run);
    expect(replayed).toStrictEqual({ value: '1 USD' });
    expect(seen[1]).toBeInstanceOf(Money);
    expect(seen[1]).not.toBe(seen[0]);
  });

  it('whatever JSON it is, and whatever the arguments were', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.array(fc.anything()), async (value, parameters) => {
        const read = tool('read', (..._parameters: unknown[]) => value);
        const { recorded, replayed, player } = await recordAndReplay(
          host,
          agent('run', () => read(...parameters)),
        );
        expect(recorded).toStrictEqual({ value });
        expect(replayed).toStrictEqual({ value });
        expect(player.refusals).toEqual([]);
        host.recordings.reset();
      }),
      { numRuns: 60 },
    );
  });

  it('as it was when it was returned, not as the caller left it', async () => {
    const read = tool('read', () => ({ shares: 1000 }));
    const run = agent('run', () => {
      const order = read();
      const before = order.shares;
      order.shares = 0;
      return before;
    });
    const { replayed } = await recordAndReplay(host, run);
    expect(replayed).toStrictEqual({ value: 1000 });
  });
});

describe('an error that crossed is thrown again', () => {
  const thrown: readonly (readonly [string, () => unknown])[] = [
    ['an error of the user', () => new OrderRejected('too large', { cause: new TypeError('shares, not dollars') })],
    ['a built-in error', () => new RangeError('out of range')],
    ['an aggregate', () => new AggregateError([new Error('one'), 'two'], 'both')],
    ['a DOMException', () => new DOMException('stopped', 'AbortError')],
    ['a text', () => 'just text'],
    ['undefined', () => undefined],
    ['a plain object', () => ({ status: 429, retryAfter: 3 })],
  ];
  for (const [what, make] of thrown) {
    it(`as it was: ${what}`, async () => {
      let calls = 0;
      const place = tool(
        'place',
        async () => {
          calls += 1;
          throw make();
        },
        { errors: [OrderRejected], values: [Money] },
      );
      const { recorded, replayed } = await recordAndReplay(
        host,
        agent('run', async () => place()),
      );
      expect(replayed).toStrictEqual(recorded);
      expect(Object.keys(replayed)).toEqual(['error']);
      expect(calls).toBe(1);
    });
  }

  it('synchronously where it was thrown synchronously', async () => {
    const place = tool(
      'place',
      () => {
        throw new OrderRejected('no');
      },
      { errors: [OrderRejected], values: [Money] },
    );
    const run = agent('run', () => {
      try {
        place();
      } catch (error) {
        return [error instanceof OrderRejected, (error as OrderRejected).status, (error as OrderRejected).limit];
      }
      return 'not thrown';
    });
    const { replayed } = await recordAndReplay(host, run);
    expect(replayed).toStrictEqual({ value: [true, 422, new Money(1000, 'USD')] });
  });
});
