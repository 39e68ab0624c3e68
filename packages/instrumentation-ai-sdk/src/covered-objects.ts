const COVERED = Symbol.for('reenact.ai-sdk.covered.1');

function findOrMakeSet(): WeakSet<object> {
  const holder = globalThis as { [COVERED]?: WeakSet<object> };
  const found = holder[COVERED];
  if (found !== undefined) return found;
  const made = new WeakSet<object>();
  Object.defineProperty(holder, COVERED, { value: made });
  return made;
}

/**
 * Models and tools whose calls are crossings already, or are made of calls that are: one call is never two crossings. Shared
 * between all copies of this package that are loaded.
 */
export const coveredObjects: WeakSet<object> = findOrMakeSet();
