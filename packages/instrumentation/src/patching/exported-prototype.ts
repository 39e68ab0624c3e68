/** The prototype of a class that a module exports by this name; a CommonJS module may be a class itself. Undefined where it has none. */
export function exportedPrototype(moduleExports: unknown, name: string): unknown {
  const isHolder = (typeof moduleExports === 'object' && moduleExports !== null) || typeof moduleExports === 'function';
  const exported: unknown = isHolder ? Reflect.get(moduleExports, name) : undefined;
  return typeof exported === 'function' ? exported.prototype : undefined;
}
