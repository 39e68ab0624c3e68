import { guarded } from '@reenact/instrumentation';

/** Has `seen` told of every call of a method of one object, before it happens. Its errors are caught. */
export function patchMember(target: object, key: string, seen: (first: unknown) => void): void {
  const original: unknown = Reflect.get(target, key);
  if (typeof original !== 'function') return;
  Object.defineProperty(target, key, {
    value: function watched(this: unknown, ...parameters: unknown[]): unknown {
      guarded('watching a call', () => seen(parameters[0]), undefined);
      return Reflect.apply(original, this, parameters);
    },
    writable: true,
    configurable: true,
    enumerable: false,
  });
}
