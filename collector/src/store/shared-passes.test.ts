import { describe, expect, it } from 'vitest';
import { SharedPasses } from './shared-passes.ts';

/** Passes that end when they are told to, and what each was given. */
function setUp() {
  const begun: { traces: readonly number[]; signal: AbortSignal; end: () => void; fail: () => void }[] = [];
  const passes = new SharedPasses((traces, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    begun.push({ traces, signal, end: resolve, fail: () => reject(new Error('the disk fails')) });
    return promise;
  });
  return { begun, passes };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('passes over the files of a store', () => {
  it('are shared by all who come while one runs, and begin behind them', async () => {
    const { begun, passes } = setUp();
    const first = passes.join([1]);
    await turn();
    const others = [passes.join([2]), passes.join([2, 3])];
    await turn();
    expect(begun.map(({ traces }) => traces)).toEqual([[1]]);
    begun[0]?.end();
    await first;
    await turn();
    expect(begun.map(({ traces }) => traces)).toEqual([[1], [2, 3]]);
    begun[1]?.end();
    await Promise.all(others);
  });

  it('fail for all who share them, and for nobody else', async () => {
    const { begun, passes } = setUp();
    const failing = [passes.join([1]), passes.join([2])].map((joined) => expect(joined).rejects.toThrow('disk fails'));
    await turn();
    const next = passes.join([3]);
    begun[0]?.fail();
    await Promise.all(failing);
    await turn();
    begun[1]?.end();
    await next;
    expect(begun).toHaveLength(2);
  });

  it('are told to end once nobody wants them any more', async () => {
    const { begun, passes } = setUp();
    const [one, other] = [new AbortController(), new AbortController()];
    const joined = [passes.join([1], one.signal), passes.join([2], other.signal)];
    await turn();
    one.abort();
    expect(begun[0]?.signal.aborted).toBe(false);
    other.abort();
    expect(begun[0]?.signal.aborted).toBe(true);
    begun[0]?.end();
    await Promise.all(joined);
  });

  it('do nothing for those who left before they began, and all for who comes behind these', async () => {
    const { begun, passes } = setUp();
    const first = passes.join([1]);
    await turn();
    const left = new AbortController();
    const leaving = passes.join([2], left.signal);
    left.abort();
    const later = passes.join([3]);
    for (let pass = 0; pass < 3; pass += 1) {
      begun[pass]?.end();
      await turn();
    }
    await Promise.all([first, leaving, later]);
    expect(begun.map(({ traces, signal }) => [traces, signal.aborted])).toEqual([
      [[1], false],
      [[2], true],
      [[3], false],
    ]);
  });
});
