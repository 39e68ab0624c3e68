import { AsyncLocalStorage } from 'node:async_hooks';
import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Arrival, agent, boundary, gate } from '../../index.ts';
import { crossingOf } from '../../testdata/recorded-crossing.ts';
import { RecordingHost } from '../../testdata/recording-host.ts';
import { recordAndReplay } from '../../testdata/replay-of.ts';
import { TapePlayer } from '../../testing/tape-player.ts';

let host: RecordingHost;
let calls: string[];
beforeEach(() => {
  host = new RecordingHost();
  calls = [];
});
afterEach(() => host.stop());

type Callback = (error: Error | null, rows?: string[], more?: { total: number }) => void;

class Store extends EventEmitter {
  readonly #rows = new Map<string, string>([['a', '1']]);
  pending = 0;

  get size(): number {
    return this.#rows.size;
  }

  get(key: string): string | undefined {
    calls.push(`get ${key}`);
    return this.#rows.get(key);
  }

  set(key: string, value: string): this {
    calls.push(`set ${key}`);
    this.#rows.set(key, value);
    return this;
  }

  async fetch(key: string): Promise<string> {
    calls.push(`fetch ${key}`);
    if (!this.#rows.has(key)) throw new RangeError(`no ${key}`);
    return this.get(key) ?? '';
  }

  *keys(): Generator<string, number> {
    calls.push('keys');
    yield* this.#rows.keys();
    return this.#rows.size;
  }

  find(pattern: string, done: Callback): void {
    calls.push(`find ${pattern}`);
    if (pattern === 'now') done(null, ['at once'], { total: 1 });
    else
      setImmediate(() =>
        pattern === 'bad' ? done(new SyntaxError('bad pattern')) : done(null, [pattern], { total: 2 }),
      );
  }
}

function wrap(store = new Store()): Store {
  return boundary.client(store, {
    kind: 'database',
    name: 'store',
    methods: {
      get: { effect: 'read' },
      set: { returns: 'this' },
      fetch: {},
      keys: {},
      find: { callback: true },
    },
  });
}

describe('a client behind boundary.client', () => {
  it('keeps class, getters, private members, unlisted methods and identity', () => {
    const plain = new Store();
    const store = wrap(plain);
    expect(store).toBeInstanceOf(Store);
    expect([store.size, store.listenerCount('x'), store.constructor]).toEqual([1, 0, Store]);
    expect(store.set('b', '2').set('c', '3')).toBe(store);
    expect(store.on('x', () => {})).toBe(store);
    const { get, on } = store;
    expect([store.get === get, store.on === on]).toEqual([true, true]);
    expect([store.get.name, store.get.length]).toEqual(['get', 1]);
    store.pending = 4;
    expect([plain.pending, 'pending' in store, Object.keys(store).includes('pending')]).toEqual([4, true, true]);
  });

  it('records listed methods nested where they are called, and not what the client calls itself', async () => {
    const store = wrap();
    await agent('run', async () => store.fetch('a'))();
    const crossings = (await host.recorded()).map(crossingOf);
    expect(crossings.map(({ kind, name, effect, call }) => [kind, name, effect, call])).toEqual([
      ['database', 'store.fetch', 'write', 'promise'],
      ['agent', 'run', 'write', 'promise'],
    ]);
    expect(crossings[0]?.parentSpanId).toBe(crossings[1]?.spanId);
  });

  it('replays values, errors, iterators and chained calls without calling the client', async () => {
    const store = wrap();
    const run = agent('run', async () => [
      store.set('b', '2') === store,
      store.get('b'),
      store.get('none'),
      await store.fetch('b'),
      await store.fetch('none').catch((error: unknown) => [error instanceof RangeError, String(error)]),
      [...store.keys()],
    ]);
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => calls.splice(0) });
    expect(recorded).toEqual({
      value: [true, '2', undefined, '2', [true, 'RangeError: no none'], ['a', 'b']],
    });
    expect(replayed).toStrictEqual(recorded);
    expect([calls, player.refusals]).toEqual([[], []]);
  });

  it('calls what the host put in the place of a method, which calls the method it replaced', async () => {
    const store = wrap();
    const { fetch } = store;
    store.fetch = async (key) => `my ${await Reflect.apply(fetch, store, [key])}`;
    expect(await store.fetch('a')).toBe('my 1');
    const run = agent('run', () => store.fetch('a'));
    const { recorded, replayed } = await recordAndReplay(host, run, { between: () => calls.splice(0) });
    expect([recorded, replayed, calls]).toEqual([{ value: 'my 1' }, { value: 'my 1' }, []]);
  });

  it('passes while nobody records, and refuses what was never recorded in a replay', async () => {
    const store = wrap();
    gate.disable();
    expect(store.get('a')).toBe('1');
    gate.enable();
    let key = 'get' as 'get' | 'keys';
    const { replayed } = await recordAndReplay(
      host,
      agent('run', () => store[key]('a')),
      { between: () => (key = 'keys') },
    );
    expect(replayed).toHaveProperty('error.code', 'replay-refused');
    expect(calls).toEqual(['get a', 'get a']);
  });
});

describe('callbacks', () => {
  const storage = new AsyncLocalStorage<string>();
  const order: string[] = [];
  const find = (store: Store, pattern: string): Promise<unknown[]> =>
    new Promise((resolve) => {
      order.push(`call ${pattern}`);
      store.find(pattern, (...parameters) => {
        order.push(`called ${pattern} in ${storage.getStore()}`);
        resolve(parameters);
      });
      order.push(`returned ${pattern}`);
    });

  it('are called again with what they were called with, once, as asynchronously as they were', async () => {
    const store = wrap();
    const run = agent('run', () =>
      storage.run('here', async () => {
        order.splice(0);
        const seen = [await find(store, 'now'), await find(store, 'later'), await find(store, 'bad')];
        return [seen, [...order]];
      }),
    );
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => calls.splice(0) });
    expect(recorded).toEqual({
      value: [
        [[null, ['at once'], { total: 1 }], [null, ['later'], { total: 2 }], [new SyntaxError('bad pattern')]],
        [
          'call now',
          'called now in here',
          'returned now',
          'call later',
          'returned later',
          'called later in here',
          'call bad',
          'returned bad',
          'called bad in here',
        ],
      ],
    });
    expect(replayed).toEqual(recorded);
    expect([calls, player.refusals]).toEqual([[], []]);
  });

  it('mark a failed call as failed, and are no part of the input', async () => {
    const store = wrap();
    await find(store, 'bad');
    const span = await host.recordedAs('database store.find');
    expect([span.status.code, span.attributes['error.type']]).toEqual([2, 'SyntaxError']);
    expect([span.attributes['reenact.input'], span.attributes['reenact.lossy']]).toEqual(['["bad"]', undefined]);
  });
});

describe('objects that a client gives', () => {
  class Cursor {
    readonly #rows: number[];
    limited = 9;
    constructor(rows: number[]) {
      this.#rows = rows;
    }
    limit(count: number): this {
      this.limited = count;
      return this;
    }
    read(): number[] {
      calls.push('read');
      return this.#rows.slice(0, this.limited);
    }
  }
  class Source {
    cursor(from: number): Cursor {
      calls.push('cursor');
      return new Cursor([from, from + 1, from + 2]);
    }
    async connect(): Promise<Cursor> {
      calls.push('connect');
      return new Cursor([100]);
    }
  }
  const cursor = { methods: { read: { effect: 'read' }, limit: { as: 'setting', returns: 'this' } } } as const;
  const wrapSource = (): Source =>
    boundary.client(new Source(), {
      kind: 'database',
      name: 'source',
      methods: { cursor: { as: 'step', returns: cursor }, connect: { returns: cursor } },
    });

  it('carry how they were made into the input, and are not made in a replay', async () => {
    const source = wrapSource();
    const run = agent('run', async () => {
      const made = source.cursor(5).limit(1).limit(2);
      const connected = await source.connect();
      return [made.read(), connected.read()];
    });
    let whileRecorded: string[] = [];
    const { recorded, replayed } = await recordAndReplay(host, run, {
      between: () => (whileRecorded = calls.splice(0)),
    });
    expect(recorded).toEqual({ value: [[5, 6], [100]] });
    expect(replayed).toEqual(recorded);
    expect(whileRecorded).toEqual(['cursor', 'connect', 'read', 'read']);
    // A step of a client that was made before the replay: it does nothing to the world.
    expect(calls).toEqual(['cursor']);
    const reads = (await host.recorded()).filter(({ name }) => name === 'database source.read');
    expect(reads.map(({ attributes }) => JSON.parse(String(attributes['reenact.input'])) as unknown)).toEqual([
      {
        steps: [
          ['cursor', [5]],
          ['limit', [2]],
        ],
        method: 'read',
        arguments: [],
      },
      { steps: [['connect', []]], method: 'read', arguments: [] },
    ]);
  });
});

describe('a cursor that is iterated', () => {
  class Rows {
    async *[Symbol.asyncIterator](): AsyncGenerator<number> {
      calls.push('iterated');
      yield 1;
      yield 2;
    }
  }
  class Table {
    rows(): Rows {
      return new Rows();
    }
  }
  const rows = { methods: { [Symbol.asyncIterator]: { name: 'table.iterate', effect: 'read' } } } as const;

  it('by `for await` is recorded and replayed, a loop that is left early included', async () => {
    const methods = { rows: { as: 'step', returns: rows } } as const;
    const table = boundary.client(new Table(), { kind: 'database', name: 'table', methods });
    const run = agent('run', async () => {
      const seen: number[] = [];
      for await (const row of table.rows()) seen.push(row);
      for await (const row of table.rows()) {
        seen.push(row * 10);
        break;
      }
      return seen;
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run, { between: () => calls.splice(0) });
    expect(recorded).toEqual({ value: [1, 2, 10] });
    expect(replayed).toEqual(recorded);
    expect([calls, player.refusals]).toEqual([[], []]);
  });
});

describe('a definition whose functions fail', () => {
  it('changes no result, and counts as a write', async () => {
    const broken = (): never => {
      throw new TypeError('ours is broken');
    };
    const methods = {
      get: { effect: broken },
      fetch: { keep: broken },
      find: { callback: true, keep: broken },
    } as const;
    const store = boundary.client(new Store(), {
      kind: 'database',
      name: 'store',
      methods,
      view: broken,
      effect: 'read',
    });
    expect([store.get('a'), await store.fetch('a')]).toEqual(['1', '1']);
    expect(await new Promise((resolve) => store.find('x', (_, rows) => resolve(rows)))).toEqual(['x']);
    const crossings = (await host.recorded()).map(crossingOf);
    expect(crossings.map(({ name, effect }) => [name, effect])).toEqual([
      ['store.get', 'write'],
      ['store.fetch', 'read'],
      ['store.find', 'read'],
    ]);
  });
});

describe('a definition that is wrong', () => {
  it.each<[string, () => unknown]>([
    [
      'a kind that does not exist',
      () => boundary.client(new Map(), { kind: 'dishwasher' as 'tool', methods: ['get'] }),
    ],
    ['a method that does not exist', () => boundary.client(new Map(), { kind: 'tool', methods: ['gett' as 'get'] })],
    ['no object', () => boundary.client(7 as unknown as object, { kind: 'tool', methods: ['toFixed'] })],
    ['methods, of which there is none', () => boundary.client({ query: () => 1 }, { kind: 'tool', methods: [] })],
    ['no definition', () => boundary.client(new Map(), undefined as never)],
    ['no methods', () => boundary.client(new Map(), { kind: 'tool' } as never)],
    ['methods that are no list', () => boundary.client(new Map(), { kind: 'tool', methods: 'get' as never })],
  ])('is refused when it is made: %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'bad-argument' }));
  });
});

describe('a call that closes, which a replay leaves out', () => {
  class LeavingOut extends TapePlayer {
    override answer(arrival: Arrival): ReturnType<TapePlayer['answer']> {
      const answer = super.answer(arrival);
      return answer.type === 'refuse' && arrival.closes === true ? { ...answer, leftOut: true } : answer;
    }
  }

  it('gives what nothing is given for, by promise and by callback, and calls nothing', async () => {
    const closed: string[] = [];
    const pool = {
      end(done?: (error?: Error) => void): Promise<string> | undefined {
        closed.push('end');
        return done === undefined ? Promise.resolve('ended') : void done();
      },
      reset: async () => closed.push('reset'),
    };
    const client = boundary.client(pool, {
      kind: 'database',
      name: 'pool',
      methods: { end: { callback: true, closes: true }, reset: {} },
    });
    await new LeavingOut([]).during(async () => {
      expect(await client.end()).toBeUndefined();
      const told = await new Promise((resolve) => client.end((...given) => resolve(given)));
      expect(told).toEqual([]);
      await expect(async () => client.reset()).rejects.toThrow('never recorded');
    });
    expect(closed).toEqual([]);
  });
});
