import { guarded } from '../host/report-failure.ts';
import { replaceProperty } from './replace-property.ts';

type Member = (...parameters: never[]) => unknown;

/** More than anybody puts around one function. */
const LAYERS_MAX = 20;

/** What another instrumentation has put its wrapper around, as OpenTelemetry's marks it; undefined where nothing says so. */
function wrappedBy(value: object): unknown {
  return guarded('looking below a wrapper', () => Reflect.get(value, '__original'), undefined);
}

/** Replaces members of objects that are not ours, under one mark that every copy of a package shares. */
export class MemberPatcher {
  private readonly mark: symbol;

  /** @param mark a registered symbol (`Symbol.for`), so that copies of a package know each other's patches. */
  constructor(mark: symbol) {
    this.mark = mark;
  }

  /**
   * Whether a function is a patch with this mark, or another instrumentation's wrapper around one: what is called comes to it. One of another
   * context of `node:vm` is none, for it knows nothing of the runs in this one.
   */
  isPatched(value: unknown): boolean {
    let layer = value;
    for (let count = 0; typeof layer === 'function' && count < LAYERS_MAX; count += 1) {
      if (this.mark in layer && layer instanceof Function) return true;
      layer = wrappedBy(layer);
    }
    return false;
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
