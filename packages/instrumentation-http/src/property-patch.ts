import { httpMembers as members } from '@reenact/instrumentation';

/** Not everything of the original: a symbol on it is another library's mark. */
function namedLike<Member extends object>(replacement: Member, original: object): Member {
  for (const key of ['name', 'length']) {
    const descriptor = Object.getOwnPropertyDescriptor(original, key);
    if (descriptor !== undefined) Object.defineProperty(replacement, key, descriptor);
  }
  return replacement;
}

/**
 * Replaces a function that is a property of `target` by what `make` gives for it, with the same name and length. Returns
 * how to undo it exactly. What is no function, is patched already, or cannot be redefined is left alone.
 */
export function patchProperty<Member extends (...parameters: never[]) => unknown>(
  target: object,
  key: string,
  make: (original: Member) => Member,
): () => void {
  const original: unknown = Reflect.get(target, key);
  const isFixed = Object.getOwnPropertyDescriptor(target, key)?.configurable === false;
  if (typeof original !== 'function' || members.isPatched(original) || isFixed) return () => undefined;
  return members.patch<Member>(target, key, (member) => namedLike(make(member), member));
}
