/**
 * Replaces a method on one object, for as long as the object lives. `make` gets the method as it was and must call it with
 * the parameters it is given; the replacement is not enumerable, so that whoever looks through the object does not meet it.
 */
export function patchInstance<Target extends object, Key extends keyof Target>(
  target: Target,
  key: Key,
  make: (original: Target[Key]) => Target[Key],
): void {
  Object.defineProperty(target, key, {
    value: make(target[key]),
    writable: true,
    configurable: true,
    enumerable: false,
  });
}
