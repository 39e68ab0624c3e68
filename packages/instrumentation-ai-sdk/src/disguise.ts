/** Gives the value of a member in place of the original's, or undefined to leave it. */
export type MemberOverride = (key: PropertyKey, value: unknown) => unknown;

/**
 * An object that is `target` in everything but the members that `override` gives. Getters and methods of the target see the
 * target, so that private members work; a frozen target stays as it is and can be overridden all the same.
 */
export function disguise<Target extends object>(target: Target, override: MemberOverride): Target {
  // The proxy stands before an empty object: the target's own frozen members would bind it.
  const shadow: object = Object.create(Object.getPrototypeOf(target) as object | null);
  const methods = new Map<PropertyKey, unknown>();
  function methodOf(key: PropertyKey, value: (...parameters: unknown[]) => unknown): unknown {
    const method = override(key, value) ?? value.bind(target);
    methods.set(key, method);
    return method;
  }
  return new Proxy(shadow, {
    get(_, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function' || key === 'constructor') return value;
      return methods.get(key) ?? methodOf(key, value as (...parameters: unknown[]) => unknown);
    },
    set: (_, key, value) => {
      methods.delete(key);
      return Reflect.set(target, key, value);
    },
    has: (_, key) => Reflect.has(target, key),
    ownKeys: () => Reflect.ownKeys(target),
    getOwnPropertyDescriptor(_, key) {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
    },
  }) as Target;
}
