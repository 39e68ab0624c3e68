import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

/** Runs a tool that gives its parameter back, and holds what the caller then sees of both against the replay. */
async function expectSame<Given extends object>(
  make: () => Given,
  change: (given: Given) => unknown,
  read: (given: Given) => unknown = (given) => given,
): Promise<void> {
  for (const isAsync of [false, true]) {
    let calls = 0;
    const back = (_: string, given: Given): Given => {
      calls += 1;
      change(given);
      return given;
    };
    const work = tool('work', isAsync ? async (name: string, given: Given) => back(name, given) : back);
    const run = agent('main', async () => {
      const given = make();
      const result = await work('first', given);
      return [result === given, read(given), Object.keys(given)];
    });
    const { recorded, replayed, player } = await recordAndReplay(host, run);
    expect(recorded).toHaveProperty('value.0', true);
    expect(replayed).toStrictEqual(recorded);
    expect([player.refusals, calls]).toEqual([[], 1]);
    const { attributes } = await host.recordedAs('execute_tool work');
    expect([attributes['reenact.result_argument'], attributes['reenact.lossy']]).toEqual([1, undefined]);
    host.recordings.reset();
  }
}

class Order {
  state = 'new';
  readonly #log: string[] = [];

  log(): readonly string[] {
    return this.#log;
  }
}

describe('a parameter that a call gives back', () => {
  it('is that very object in a replay, with what the call had written into it', async () => {
    await expectSame(
      () => ({ state: 'new', items: [{ price: 1 }] }) as Record<string, unknown>,
      (order) => Object.assign(order, { state: 'priced', total: 1 }),
    );
    await expectSame(
      () => [1, 2, 3],
      (list) => list.splice(0, 2, 7),
    );
    await expectSame(
      () => ({ nothing: true }),
      () => undefined,
    );
  });

  it('has its members in their order, and not those that the call took out', async () => {
    await expectSame(
      () => ({ a: 1, b: 2 }) as Record<string, number>,
      (given) => {
        delete given.a;
        given.c = 3;
        given.a = 4;
      },
    );
  });

  it('keeps the objects in it that the caller has references to', async () => {
    const kept = new WeakMap<object, object>();
    await expectSame(
      () => {
        const inner = { n: 1 };
        const given = { inner };
        kept.set(given, inner);
        return given;
      },
      (given) => Object.assign(given.inner, { n: 5 }),
      (given) => [kept.get(given) === given.inner, kept.get(given)],
    );
  });

  it('may be a map, a set, a date, bytes, or refer to itself', async () => {
    await expectSame(
      () => new Map([['a', { n: 1 }]]),
      (map) => map.set('b', { n: 2 }).delete('a'),
    );
    await expectSame(
      () => new Set([1]),
      (set) => set.add(2),
    );
    await expectSame(
      () => new Date(0),
      (date) => date.setUTCFullYear(2026),
    );
    await expectSame(
      () => Buffer.alloc(4),
      (bytes) => bytes.fill(9),
    );
    await expectSame(
      () => ({ name: 'a' }) as { name: string; self?: object },
      (given) => Object.assign(given, { self: given }),
      (given) => [given.self === given, given.name],
    );
  });
});

describe('what a replay cannot write into', () => {
  const readAfter = async (make: () => object, change: (given: never) => unknown): Promise<readonly string[]> => {
    const work = tool('work', (given: object) => {
      change(given as never);
      return given;
    });
    const run = agent('main', () => String(work(make())));
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect(replayed).toStrictEqual(recorded);
    const lossy = (await host.recordedAs('execute_tool work')).attributes['reenact.lossy'] as string[] | undefined;
    host.recordings.reset();
    return lossy ?? [];
  };
  const changed = '/output is a parameter that the call has changed: a replay gives another object';

  it('is told where the call has changed it, and given as it is where not', async () => {
    const url = (): URL => new URL('https://example.com/a');
    expect(await readAfter(url, () => undefined)).toEqual([]);
    expect(await readAfter(url, (given: URL) => Object.assign(given, { pathname: '/b' }))).toEqual([changed]);
  });

  it('of a class that nobody registered, is a copy and told as before', async () => {
    expect(
      await readAfter(
        () => new Order(),
        () => undefined,
      ),
    ).toEqual(['/input/0 class Order', '/output class Order']);
  });

  it('is what was recorded, where the host gives something else in a replay or has frozen it', async () => {
    let round = 0;
    const work = tool('work', (given: { n: number }) => Object.assign(given, { n: 2 }));
    const run = agent('main', () => {
      round += 1;
      const given = round === 1 ? { n: 1 } : Object.freeze({ n: 1 });
      return work(given).n;
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect([recorded, replayed]).toEqual([{ value: 2 }, { value: 2 }]);
  });
});
