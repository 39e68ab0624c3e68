import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, gate, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

describe('a wrapped function', () => {
  it('returns the very value, or throws the very error, that the function does', () => {
    fc.assert(
      fc.property(fc.anything(), fc.boolean(), (value, throws) => {
        const original = (): unknown => {
          if (throws) throw value;
          return value;
        };
        const seen: unknown[] = [];
        try {
          seen.push('returned', tool('any', original)());
        } catch (error) {
          seen.push('threw', error);
        }
        expect(seen[0]).toBe(throws ? 'threw' : 'returned');
        expect(Object.is(seen[1], value)).toBe(true);
      }),
    );
  });

  it('resolves and rejects with the very value of an async function', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), fc.boolean(), async (value, throws) => {
        const boxed = { value };
        const result = tool('any', async () => {
          if (throws) throw boxed;
          return boxed;
        })();
        expect(result).toBeInstanceOf(Promise);
        expect(await result.catch((error: unknown) => error)).toBe(boxed);
      }),
      { numRuns: 50 },
    );
  });

  it('hands on this and the very arguments', () => {
    const passed = { some: 'object' };
    const account = {
      balance: 7,
      read: tool('read', function read(this: { balance: number }, ...parameters: unknown[]) {
        return [this, this.balance, ...parameters];
      }),
    };
    const [self, balance, first, second] = account.read(passed, undefined);
    expect(self).toBe(account);
    expect([balance, second]).toEqual([7, undefined]);
    expect(first).toBe(passed);
    expect(tool('count', (...parameters: unknown[]) => parameters.length)(undefined, undefined)).toBe(2);
  });
});

describe('a wrapped function in its surroundings', () => {
  it('keeps name, length and members, and still constructs', () => {
    class Quote {
      readonly symbol: string;
      constructor(symbol: string) {
        this.symbol = symbol;
      }
    }
    const getQuote = (_symbol: string, _venue: string): number => 1;
    const wrapped = tool('get_quote', Object.assign(getQuote, { schema: { type: 'object' } }));
    expect([wrapped.name, wrapped.length, wrapped.schema]).toEqual(['getQuote', 2, { type: 'object' }]);
    const construct = tool('Quote', Quote as unknown as (symbol: string) => Quote) as unknown as typeof Quote;
    expect(new construct('ACME')).toBeInstanceOf(Quote);
  });

  it('leaves callbacks to the function', async () => {
    const order: string[] = [];
    const later = tool('later', (done: (error: null, value: number) => void) => {
      setImmediate(() => done(null, 5));
      order.push('returned');
    });
    const value = await new Promise((resolve) => later((_error, result) => resolve(result)));
    expect([order, value]).toEqual([['returned'], 5]);
    const span = await host.recordedAs('execute_tool later');
    expect(span.attributes['reenact.lossy']).toEqual(['/input/0 function']);
  });

  it('is not watched while recording is off', async () => {
    gate.disable();
    expect(tool('off', () => 3)()).toBe(3);
    gate.enable();
    expect(tool('on', () => 4)()).toBe(4);
    expect((await host.recorded()).map(({ name }) => name)).toEqual(['execute_tool on']);
  });
});

describe('a lazy promise-like that a function gave', () => {
  it.each(['runs by itself', 'goes by then'])('is heard to end where its catch and finally %s', async (way) => {
    let runs = 0;
    const execute = async (fails: boolean): Promise<number> => {
      runs += 1;
      if (fails) throw new RangeError('no row');
      return 7;
    };
    const find = tool('find', (fails: boolean): Promise<number> => {
      const run = (): Promise<number> => (way === 'goes by then' ? query.then() : execute(fails));
      const query = {
        // biome-ignore lint/suspicious/noThenProperty: a query of an ORM is what is tested.
        then: (...handlers: Parameters<Promise<number>['then']>) => execute(fails).then(...handlers),
        catch: (handler?: () => number) => run().catch(handler),
        finally: (handler?: () => void) => run().finally(handler),
      } as Promise<number>;
      return query;
    });
    expect(await find(true).catch(() => 0)).toBe(0);
    expect(await find(false).catch(() => 0)).toBe(7);
    await expect(find(true).finally(() => undefined)).rejects.toThrow(RangeError);
    expect(await find(false).finally(() => undefined)).toBe(7);
    expect(runs).toBe(4);
    const spans = (await host.recorded()).filter(({ name }) => name === 'execute_tool find');
    const ended = spans.map(({ attributes }) => [attributes['error.type'], attributes['reenact.output']]);
    const failed = [RangeError.name, undefined];
    expect(ended).toEqual([failed, [undefined, '7'], failed, [undefined, '7']]);
  });

  it.each(['then', 'catch', 'finally'])('has what it asks for, once there is a %s, beneath the call', async (way) => {
    const ask = tool('ask', async () => 7);
    const note = tool('note', () => undefined);
    const find = tool(
      'find',
      (): Promise<number> =>
        ({
          // biome-ignore lint/suspicious/noThenProperty: a query of an ORM is what is tested.
          then: (...handlers: Parameters<Promise<number>['then']>) => ask().then(...handlers),
          catch: (handler?: () => number) => ask().catch(handler),
          finally: (handler?: () => void) => ask().finally(handler),
        }) as Promise<number>,
    );
    const waiting = new Map<string, () => Promise<unknown>>([
      ['then', () => find().then(note)],
      [
        'catch',
        () =>
          find()
            .catch(() => 0)
            .then(note),
      ],
      ['finally', () => find().finally(note)],
    ]);
    await agent('run', async () => void (await waiting.get(way)?.()))();
    const spans = await host.recorded();
    const idOf = (wanted: string): unknown => spans.find(({ name }) => name.endsWith(wanted))?.spanContext().spanId;
    const parentOf = (wanted: string): unknown =>
      spans.find(({ name }) => name.endsWith(wanted))?.parentSpanContext?.spanId;
    expect([parentOf(' ask'), parentOf(' find'), parentOf(' note')]).toEqual([
      idOf(' find'),
      idOf(' run'),
      idOf(' run'),
    ]);
  });
});

describe('a promise with methods of its own that a function gave', () => {
  it('has classes handed to them as they are: those that its catch filters by, and those of others', async () => {
    class NotFound extends Error {}
    class Filtering extends Promise<unknown> {
      override catch(...given: unknown[]): Promise<never> {
        const handler = given.pop() as (error: unknown) => never;
        return this.then(undefined, (error) => {
          if (given.every((filter) => error instanceof (filter as typeof Error))) return handler(error);
          throw error;
        }) as Promise<never>;
      }

      as(Class: new (value: unknown) => object): Promise<object> {
        return this.then((value) => new Class(value));
      }
    }
    const thenable = (value: Filtering): Filtering => {
      // biome-ignore lint/suspicious/noThenProperty: a promise of Bluebird is what is tested.
      return { then: value.then.bind(value), catch: value.catch, as: value.as } as Filtering;
    };
    for (const made of [(value: Filtering) => value, thenable]) {
      const find = tool('find', (): Filtering => made(Filtering.reject(new NotFound('no')) as Filtering));
      const give = tool('give', (): Filtering => made(Filtering.resolve([['a', 1]]) as Filtering));
      const caught = find() as unknown as { catch(...given: unknown[]): Promise<unknown> };
      expect(await caught.catch(NotFound, () => 'handled')).toBe('handled');
      const again = find() as unknown as { catch(...given: unknown[]): Promise<unknown> };
      await expect(again.catch(RangeError, () => 'handled')).rejects.toThrow(NotFound);
      expect(await give().as(Map as never)).toEqual(new Map([['a', 1]]));
    }
    const spans = (await host.recorded()).filter(({ name }) => name === 'execute_tool find');
    expect(spans.map(({ attributes }) => attributes['error.type'])).toEqual(Array(4).fill(NotFound.name));
  });
});

describe('a lazy promise-like that is waited for twice', () => {
  it('has what it asks for beneath the call that gave it each time, also behind a failure', async () => {
    let asked = 0;
    const ask = tool('ask', async () => {
      asked += 1;
      if (asked === 1) throw new RangeError('no row');
      return 7;
    });
    const find = tool('find', (): PromiseLike<number> => {
      // biome-ignore lint/suspicious/noThenProperty: a query of an ORM is what is tested.
      return { then: (...handlers) => ask().then(...handlers) };
    });
    const answers: unknown[] = [];
    await agent('run', async () => {
      const query = find();
      for (let count = 0; count < 3; count += 1) answers.push(await query.then(Number, String));
    })();
    expect(answers).toEqual(['RangeError: no row', 7, 7]);
    const spans = await host.recorded();
    const found = spans.find(({ name }) => name.endsWith(' find'))?.spanContext().spanId;
    const parents = spans.filter(({ name }) => name.endsWith(' ask')).map((span) => span.parentSpanContext?.spanId);
    expect(parents).toEqual([found, found, found]);
  });
});

describe('a promise or stream whose methods give what cannot be looked at', () => {
  const closed = Object.defineProperty({}, 'then', {
    get() {
      throw new RangeError('not before it is open');
    },
  });

  it('gives the host that very object', () => {
    class Query extends Promise<number> {
      open(): object {
        return closed;
      }
    }
    const find = tool('find', () => new Query((resolve) => resolve(1)));
    expect(find().open()).toBe(closed);
  });

  it('gives it from a step of a stream, too', () => {
    const rows = tool('rows', () => ({ next: () => closed, [Symbol.asyncIterator]: () => closed }));
    expect(rows().next()).toBe(closed);
  });
});

describe('what a function returned keeps its own nature', () => {
  it('reads a lazy promise-like no sooner and no more often than the host does', async () => {
    const reads: string[] = [];
    const query = {
      // biome-ignore lint/suspicious/noThenProperty: a query builder is what is tested.
      then(resolve: (rows: number[]) => void) {
        reads.push('run');
        resolve([1, 2]);
      },
    };
    const find = tool('find', () => query);
    const found = find();
    expect(found).toBe(query);
    expect(reads).toEqual([]);
    expect(await found).toEqual([1, 2]);
    expect(reads).toEqual(['run']);
    const span = await host.recordedAs('execute_tool find');
    expect([span.attributes['reenact.call'], span.attributes['reenact.output']]).toEqual(['promise', '[1,2]']);
  });

  it('hands on the very object of a promise subclass, with its methods', async () => {
    class Call extends Promise<number> {
      readonly id = 'call-1';
      abort(): string {
        return `aborted ${this.id}`;
      }
    }
    const made = new Call((resolve) => setImmediate(() => resolve(8)));
    const result = tool('call', () => made)();
    expect(result).toBe(made);
    expect(result.abort()).toBe('aborted call-1');
    expect(await result).toBe(8);
    expect((await host.recordedAs('execute_tool call')).attributes['reenact.output']).toBe('8');
  });

  it('moves what was hung on a plain promise along', async () => {
    const spawned = Object.assign(Promise.resolve('done'), { pid: 42 });
    const result = tool('spawn', () => spawned)();
    expect(result.pid).toBe(42);
    expect(await result).toBe('done');
  });

  it('takes a result whose members throw when read as a value', () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new RangeError('hands off');
        },
      },
    );
    expect(tool('hostile', () => hostile)()).toBe(hostile);
  });
});
