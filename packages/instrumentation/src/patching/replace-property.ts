/**
 * Puts `descriptor` in the place of what `owner` has, or has not, under `key`. Returns how to undo it: the exact descriptor
 * is put back, or the property removed where it was inherited. What somebody else has replaced since is left to them.
 */
export function replaceProperty(owner: object, key: PropertyKey, descriptor: PropertyDescriptor): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, key);
  const replacement: unknown = descriptor.value ?? descriptor.get;
  Object.defineProperty(owner, key, descriptor);
  return () => {
    const now = Object.getOwnPropertyDescriptor(owner, key);
    if (now === undefined || (now.value ?? now.get) !== replacement) return;
    if (before === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, before);
  };
}
