const PATCHED = Symbol.for('reenact.mcp.patched.1');

type AnyFunction = (...parameters: never[]) => unknown;

interface PatchedFunction {
  readonly [PATCHED]?: AnyFunction;
}

/** The function behind a patched one, or the function itself. */
export function unpatched<Patched extends AnyFunction>(patched: Patched): Patched {
  return ((patched as PatchedFunction)[PATCHED] as Patched | undefined) ?? patched;
}

/** Whether a function is a patch of this package, of whichever copy of it. */
export function isPatched(value: unknown): boolean {
  return typeof value === 'function' && PATCHED in value;
}

/**
 * Replaces one member of `target` by what `make` gives for it. Returns how to undo it: the exact property descriptor is
 * restored, or the property removed where there was none. If somebody has replaced the member again in the meantime, it
 * is left alone.
 */
export function patchMember<Member extends AnyFunction>(
  target: object,
  key: string,
  make: (original: Member) => Member,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(target, key);
  const original = Reflect.get(target, key) as Member;
  const replacement = make(original);
  Object.defineProperty(replacement, PATCHED, { value: original });
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
