import { replaceProperty } from './replace-property.ts';

type Member = (...parameters: never[]) => unknown;

/** Replaces members of objects that are not ours, under one mark that every copy of a package shares. */
export class MemberPatcher {
  private readonly mark: symbol;

  /** @param mark a registered symbol (`Symbol.for`), so that copies of a package know each other's patches. */
  constructor(mark: symbol) {
    this.mark = mark;
  }

  /** Whether a function is a patch with this mark. */
  isPatched(value: unknown): boolean {
    return typeof value === 'function' && this.mark in value;
  }

  /** The function behind a patched one, or the function itself. */
  unpatched<Patched extends Member>(patched: Patched): Patched {
    return (Reflect.get(patched, this.mark) as Patched | undefined) ?? patched;
  }

  /**
   * Replaces one member of `target`, own or inherited, by what `make` gives for it. Returns how to undo it exactly; a member
   * that somebody has replaced again in the meantime is left alone.
   */
  patch<Original extends Member>(target: object, key: string, make: (original: Original) => Original): () => void {
    const original = Reflect.get(target, key) as Original;
    const replacement = make(original);
    Object.defineProperty(replacement, this.mark, { value: original });
    return replaceProperty(target, key, {
      value: replacement,
      writable: true,
      configurable: true,
      enumerable: Object.getOwnPropertyDescriptor(target, key)?.enumerable ?? false,
    });
  }
}
