import type { Store } from '@reenact/collector';

/** A store that settles after every append: the contract must not depend on where the bytes lie. */
export function settleAlways(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...given: unknown[]) => unknown;
      if (name !== 'appendSpans' && name !== 'appendLogs') return method;
      return async (...given: unknown[]) => {
        const result = await method(...given);
        await target.settle();
        return result;
      };
    },
  });
}
