import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

let host: RecordingHost;
beforeEach(() => {
  host = new RecordingHost();
});
afterEach(() => host.stop());

const methods: ReadonlySet<unknown> = new Set(['then', 'catch', 'finally']);

/** As LangSmith's `traceable` hands out: its `then` is of another promise, whatever the one behind it is given. */
function proxied<Value>(promise: Promise<Value>, traced = promise.then((value) => value)): Promise<Value> {
  return new Proxy(promise, {
    get: (target, key) =>
      methods.has(key)
        ? (Reflect.get(traced, key) as () => unknown).bind(traced)
        : (Reflect.get(target, key) as unknown),
  });
}

class Gone extends Error {}

async function work(order: number | undefined): Promise<{ order: number }> {
  if (order === undefined) throw new Gone();
  return { order };
}

/** How each recorded call of the tool ended. */
async function ends(): Promise<unknown[]> {
  const spans = (await host.recorded()).filter(({ name }) => name === 'execute_tool find');
  return spans.map(({ attributes }) => [attributes['reenact.outcome'], attributes['reenact.output']]);
}

describe('a promise-like that takes no methods', () => {
  it.each([
    ['a proxy with a then of its own', (promise: Promise<{ order: number }>) => proxied(promise)],
    [
      'a frozen one',
      (promise: Promise<{ order: number }>) =>
        Object.freeze(
          Object.create({
            // biome-ignore lint/suspicious/noThenProperty: what is tested.
            then: (...handlers: Parameters<Promise<unknown>['then']>) => promise.then(...handlers),
            catch: (handler: () => unknown) => promise.catch(handler),
            finally: (handler: () => void) => promise.finally(handler),
          }),
        ) as Promise<{ order: number }>,
    ],
  ])('is heard to end: %s', async (_case, make) => {
    const find = tool('find', (order?: number) => make(work(order)));
    expect(await find(7)).toEqual({ order: 7 });
    await expect(find()).rejects.toThrow(Gone);
    expect(await find().catch((error: unknown) => error instanceof Gone)).toBe(true);
    expect(await find(8).finally(() => undefined)).toEqual({ order: 8 });
    expect(await ends()).toEqual([
      ['returned', '{"order":7}'],
      ['threw', undefined],
      ['threw', undefined],
      ['returned', '{"order":8}'],
    ]);
  });

  it('is itself in all else, keeps what it was given, and is heard each time it is handed out', async () => {
    const given = Object.assign(work(9), { id: 'req-1' });
    const promise = proxied(given) as Promise<{ order: number }> & { id: string };
    const find = tool('find', () => promise);
    const [first, second] = [find(), find()];
    expect([first.id, first === second, Object.hasOwn(given, 'then')]).toEqual(['req-1', true, false]);
    expect([await first, await second]).toEqual([{ order: 9 }, { order: 9 }]);
    expect(await ends()).toEqual([
      ['returned', '{"order":9}'],
      ['returned', '{"order":9}'],
    ]);
  });
});
