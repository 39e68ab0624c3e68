const PATCHED = Symbol.for('reenact.http.patched.1');

/** Whether a function is a patch of this package, of whichever copy of it. */
export function isPatched(value: unknown): boolean {
  return typeof value === 'function' && PATCHED in value;
}

function disguise(replacement: object, original: object): void {
  for (const key of ['name', 'length']) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Object.defineProperty(replacement, key, descriptor);
  }
  Object.defineProperty(replacement, PATCHED, { value: original });
}

/**
 * Replaces a function that is a property of `target` by what `make` gives for it, with the same name and length. Returns
 * how to undo it: the exact descriptor is restored, or the property removed where there was none of its own. If somebody
 * has replaced it again in the meantime, or it is patched already, it is left alone.
 */
export function patchProperty<Member extends (...parameters: never[]) => unknown>(
  target: object,
  key: string,
  make: (original: Member) => Member,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(target, key);
  const original: unknown = Reflect.get(target, key);
  if (typeof original !== 'function' || isPatched(original) || descriptor?.configurable === false) {
    return () => undefined;
  }
  const replacement = make(original as Member);
  disguise(replacement, original);
  Object.defineProperty(target, key, {
    value: replacement,
    writable: true,
    configurable: true,
    enumerable: descriptor?.enumerable ?? false,
  });
  return () => {
    if (Object.getOwnPropertyDescriptor(target, key)?.value !== replacement) return;
    if (descriptor === undefined) Reflect.deleteProperty(target, key);
    else Object.defineProperty(target, key, descriptor);
  };
}
