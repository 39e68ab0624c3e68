/** One class that was loaded: the CommonJS and the ES module copy of one package are two. */
interface LoadedClass {
  readonly patch: () => () => void;
  /** Present while the class is patched. */
  undo: (() => void) | undefined;
}

/** By instance and not a field: OpenTelemetry's base class calls `init` and `enable` before the fields of a subclass exist. */
const loadedClasses = new WeakMap<object, Map<unknown, LoadedClass>>();

function loadedBy(instrumentation: object): Map<unknown, LoadedClass> {
  const loaded = loadedClasses.get(instrumentation) ?? new Map<unknown, LoadedClass>();
  loadedClasses.set(instrumentation, loaded);
  return loaded;
}

/** Patches a class that was just loaded, once, and remembers it for as long as the instrumentation lives. */
export function patchLoadedClass(instrumentation: object, prototype: unknown, patch: () => () => void): void {
  const loaded = loadedBy(instrumentation);
  const item = loaded.get(prototype) ?? { patch, undo: undefined };
  loaded.set(prototype, item);
  item.undo ??= item.patch();
}

/** Patches again every class that was loaded so far: the base class remembers only the copy that was loaded last. */
export function patchLoadedClasses(instrumentation: object): void {
  for (const item of loadedBy(instrumentation).values()) item.undo ??= item.patch();
}

/** Restores every class that was loaded so far. */
export function unpatchLoadedClasses(instrumentation: object): void {
  for (const item of loadedBy(instrumentation).values()) {
    item.undo?.();
    item.undo = undefined;
  }
}
