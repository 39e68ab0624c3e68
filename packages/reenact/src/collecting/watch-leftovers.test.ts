import { afterEach, expect, it } from 'vitest';
import { watchLeftovers } from './watch-leftovers.ts';

let ended: AbortController | undefined;
afterEach(() => ended?.abort());

/** Finds what each look is to find, the last for ever, and says what lay there at each time it was told to take it. */
function watched(looks: readonly (readonly string[])[], taken: (lying: readonly string[]) => void) {
  const signal = new AbortController();
  ended = signal;
  const looked = Promise.withResolvers<void>();
  let next = 0;
  let lying: readonly string[] = [];
  const look = (): string[] => {
    lying = looks[Math.min(next, looks.length - 1)] ?? [];
    next += 1;
    if (next === looks.length + 3) looked.resolve();
    return [...lying];
  };
  const take = async (): Promise<void> => taken(lying);
  return {
    watch: watchLeftovers({ look, take, everyMs: 1 }, signal.signal),
    looked: looked.promise,
    end: () => signal.abort(),
  };
}

it('takes what was left before at once, and later what two looks have found, once', async () => {
  const takes: (readonly string[])[] = [];
  const { watch, looked, end } = watched([[], [], ['a'], [], ['b'], ['b', 'c'], [], ['c']], (lying) =>
    takes.push(lying),
  );
  await looked;
  end();
  await watch;
  // c was found once, went, and came again for good.
  expect(takes).toEqual([[], ['b', 'c'], ['c']]);
});

it('tries nothing again that stays, and goes on with what comes beside it', async () => {
  const takes: (readonly string[])[] = [];
  const { watch, looked, end } = watched([['a'], ['a'], ['a'], ['a', 'b'], ['a', 'b'], ['a']], (lying) =>
    takes.push(lying),
  );
  await looked;
  end();
  await watch;
  expect(takes).toEqual([[], ['a', 'b']]);
});

it('ends where it is told to, also while it waits for the next look', async () => {
  const signal = new AbortController();
  const watch = watchLeftovers({ look: () => [], take: async () => {}, everyMs: 600_000 }, signal.signal);
  signal.abort();
  await expect(watch).resolves.toBeUndefined();
});
