import { setFlagsFromString } from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { WeakList } from './weak-list.ts';

setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

describe('a list that keeps nothing', () => {
  it('lets go of what a context of node:vm added, and has what somebody still keeps', async () => {
    const list = new WeakList<() => string>();
    const kept = (): string => 'kept';
    list.add(kept);
    for (let count = 0; count < 5; count += 1) list.add(vm.runInNewContext('() => "gone"') as () => string);
    const hasOnlyKept = (): void => {
      collect();
      expect(list.members().map((member) => member())).toEqual(['kept']);
    };
    await vi.waitFor(hasOnlyKept, { timeout: 10_000 });
    expect(list.isEmpty).toBe(false);
  });
});
