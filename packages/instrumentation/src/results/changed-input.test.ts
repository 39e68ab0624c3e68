import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agent, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

async function marksOf(name: string): Promise<unknown> {
  return (await host.recordedAs(`execute_tool ${name}`)).attributes['reenact.lossy'];
}

/** What is told of a tool that an agent waits for. */
async function toldOf(code: (...parameters: never[]) => unknown, ...parameters: unknown[]): Promise<unknown> {
  host.recordings.reset();
  const change = tool('change', code as (...given: unknown[]) => unknown);
  await agent('main', async () => {
    try {
      await change(...parameters);
    } catch {}
  })();
  return marksOf('change');
}

interface Order {
  lines: { price?: number }[];
  state?: string;
}

describe('what a call changes of its input', () => {
  it('is told, for a replay does not change it: of plain objects, lists, maps, dates and bytes', async () => {
    const order = (): Order => ({ lines: [{}] });
    const mark = (place: string): string[] => [`/input${place} changed by the call`];
    expect(await toldOf((given: Order) => Object.assign(given, { state: 'open' }).lines, order())).toEqual(
      mark('/0/state'),
    );
    expect(await toldOf(async (given: Order) => void given.lines.push({ price: 1 }), order())).toEqual(
      mark('/0/lines'),
    );
    const price = async ({ lines: [line] }: Order): Promise<void> => {
      await Promise.resolve();
      if (line !== undefined) line.price = 2;
    };
    expect(await toldOf(price, order())).toEqual(mark('/0/lines/0/price'));
    expect(await toldOf((map: Map<string, number>) => map.set('a', 1), new Map())).toEqual(mark('/0'));
    expect(await toldOf((date: Date) => date.setTime(7), new Date(0))).toEqual(mark('/0'));
    expect(await toldOf((bytes: Buffer) => bytes.fill(1), Buffer.alloc(3))).toEqual(mark('/0'));
    const failing = (given: Order): never => {
      given.state = 'failed';
      throw new Error('no');
    };
    expect(await toldOf(failing, order())).toEqual(mark('/0/state'));
  });

  it('is nothing where it changes nothing, or no more than an object of a class of the host holds', async () => {
    expect(
      await toldOf(({ lines }: Order) => lines.map(({ price }) => price), { lines: [{ price: 1 }] }),
    ).toBeUndefined();
    expect(await toldOf((a: string, b: number) => a + b, 'a', 1)).toBeUndefined();
    class Cache {
      readonly held: string[] = [];
    }
    expect(await toldOf((cache: Cache) => cache.held.push('a'), new Cache())).toEqual(['/input/0 class Cache']);
  });

  it('is told by its place where what is shared is numbered anew', async () => {
    const shared = { a: 1 };
    const given = { first: [{}], one: shared, two: shared };
    const told = await toldOf((value: typeof given) => void value.first.unshift({}), given);
    expect(told).toEqual(['/input/0/first changed by the call']);
  });

  it('is not told where the caller may have changed it, or its code runs again', async () => {
    const list: string[] = [];
    let release: (value?: unknown) => void = () => undefined;
    const opened = new Promise((resolve) => {
      release = resolve;
    });
    const slow = tool('slow', async (_: unknown) => opened);
    const quick = tool('quick', async () => 1);
    const inner = agent('inner', (given: string[]) => void given.push('again'));
    const root = tool('root', (given: string[]) => void given.push('root'));
    await agent('main', async () => {
      const waiting = slow(list);
      await quick();
      list.push('by the caller');
      release();
      await waiting;
      inner(list);
    })();
    root(list);
    expect([await marksOf('slow'), await marksOf('root'), list.length]).toEqual([undefined, undefined, 3]);
  });
});
