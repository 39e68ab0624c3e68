import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';
import { recordAndReplay } from '../testdata/replay-of.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

class Client {
  readonly #sent: string[] = [];

  send(text: string): number {
    return this.#sent.push(text);
  }
}

interface Trial<Given> {
  make(): Given;
  change(given: Given): unknown;
  read(result: Given): unknown;
}

/** Runs a tool that gives its second parameter back, and says what a caller then sees of the two, recorded and replayed. */
async function seenOf<Given extends object>({ make, change, read }: Trial<Given>, isAsync: boolean) {
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
    return [result === given, read(result)];
  });
  const { recorded, replayed, player } = await recordAndReplay(host, run);
  expect([player.refusals, calls]).toEqual([[], 1]);
  const { attributes } = await host.recordedAs('execute_tool work');
  host.recordings.reset();
  return { recorded, replayed, named: attributes['reenact.result_argument'] };
}

const asItIs = <Given>(given: Given): Given => given;

const unchanged: readonly (() => object)[] = [
  () => ({ state: 'new', items: [{ price: 1 }] }),
  () => [1, { n: 2 }],
  () => new Map([['a', 1]]),
  () => Buffer.from('abc'),
  () => new URL('https://example.com/a?api_key=abcdefgh12345678'),
  () => ({ apiKey: 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD' }),
];

const changed: readonly Trial<never>[] = [
  {
    make: () => ({ state: 'new' }),
    change: (order: object) => Object.assign(order, { state: 'priced' }),
    read: asItIs,
  },
  { make: () => new Headers({ a: '1' }), change: (given: Headers) => given.set('b', '2'), read: (given) => [...given] },
  {
    make: () =>
      new Map([
        [1, 2],
        [3, 4],
      ]),
    change: (given: Map<number, number>) => given.delete(1) && given.set(1, 2),
    read: (given) => [...given],
  },
  { make: () => [{ n: 2 }, { n: 1 }], change: (given: object[]) => given.reverse(), read: asItIs },
] as readonly Trial<Iterable<unknown> & object>[] as readonly Trial<never>[];

for (const isAsync of [false, true]) {
  describe(`a parameter that ${isAsync ? 'an asynchronous' : 'a synchronous'} call gives back`, () => {
    it('as it had got it, is that very object in a replay', async () => {
      for (const make of unchanged) {
        const seen = await seenOf({ make, change: asItIs, read: asItIs }, isAsync);
        const value = [true, make()];
        expect(seen).toStrictEqual({ recorded: { value }, replayed: { value }, named: 1 });
      }
    });

    it('has in it what nobody can record', async () => {
      const make = () => ({ log: (text: string) => text.length, client: new Client(), signal: AbortSignal.abort() });
      const read = ({ log, client, signal }: ReturnType<typeof make>) => [log('ab'), client.send('a'), signal.aborted];
      const value = [true, [2, 1, true]];
      expect(await seenOf({ make, change: asItIs, read }, isAsync)).toEqual({
        recorded: { value },
        replayed: { value },
        named: 1,
      });
    });

    it('changed, comes as it was given then, and leaves the caller its own', async () => {
      for (const trial of changed) {
        const { recorded, replayed, named } = await seenOf(trial, isAsync);
        const [, result] = (recorded as { value: [boolean, unknown] }).value;
        expect([replayed, named]).toStrictEqual([{ value: [false, result] }, undefined]);
      }
    });
  });
}

describe('a parameter', () => {
  it('that is another in a replay is not given for the recorded one', async () => {
    let round = 0;
    const same = tool('same', (given: { n: number }) => given);
    const run = agent('main', () => {
      round += 1;
      return same({ n: round }).n;
    });
    const { recorded, replayed } = await recordAndReplay(host, run);
    expect([recorded, replayed]).toEqual([{ value: 1 }, { value: 1 }]);
  });

  it('of a call that goes on is not kept alive by us', async () => {
    const never = tool('never', (_: object) => new Promise(() => {}));
    const kept = agent('main', () => {
      const given = { large: 'x'.repeat(1000) };
      void never(given);
      return new WeakRef(given);
    })();
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    expect(kept.deref()).toBeUndefined();
  });
});
