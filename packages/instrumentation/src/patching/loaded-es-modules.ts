import { fileURLToPath } from 'node:url';
import { processState } from '@reenact/trace-model';
import { packageOf } from './package-of.ts';

interface WantedModules {
  /** Paths of the ES modules that were asked for, by the package that was named for it. */
  readonly paths: Map<string, Set<string>>;
  /** What they give, by path; undefined where that never comes. */
  readonly namespaces: Map<string, object | undefined>;
}

const wanted = processState<WantedModules>('wanted-es-modules.1', () => ({ paths: new Map(), namespaces: new Map() }));

/** Has the ES modules of these packages kept that are asked for from now on. */
export function wantEsModulesOf(packages: Iterable<string>): void {
  for (const name of packages) if (!wanted.paths.has(name)) wanted.paths.set(name, new Set());
}

/** Takes what an import or a `require` was resolved to. An address with a query, as a mark of a hook is, is of another module. */
export function noteResolved(url: string, format: string | null | undefined): void {
  if (format !== 'module' || wanted.paths.size === 0) return;
  if (!url.startsWith('file:') || !url.includes('/node_modules/') || url.includes('?')) return;
  const path = fileURLToPath(url);
  wanted.paths.get(packageOf(path)?.name ?? '')?.add(path);
}

/** How many of a package there are, and how many of these were not there yet when they were last looked for. */
export function countEsModulesOf(name: string): { readonly known: number; readonly waiting: number } {
  const paths = Array.from(wanted.paths.get(name) ?? []);
  return { known: paths.length, waiting: paths.filter((path) => !wanted.namespaces.has(path)).length };
}

/** Not by an import of it: webpack makes `undefined` of a require of what it cannot place. */
const { createRequire: requireFrom } = process.getBuiltinModule('node:module');

function look(path: string): void {
  try {
    // Of a module that was evaluated Node.js gives what an import gives. Asked from the package itself: from elsewhere it prints a warning.
    const namespace: unknown = requireFrom(path)(path);
    wanted.namespaces.set(path, typeof namespace === 'object' && namespace !== null ? namespace : undefined);
  } catch (error) {
    // One that is not there yet is looked for again; one that waits at its top level is never given.
    if (Reflect.get(Object(error), 'code') === 'ERR_REQUIRE_ASYNC_MODULE') wanted.namespaces.set(path, undefined);
  }
}

/** The ES modules of a package that this process has loaded, by path. */
export function esModulesOf(name: string): ReadonlyMap<string, object> {
  const found = new Map<string, object>();
  for (const path of wanted.paths.get(name) ?? []) {
    if (!wanted.namespaces.has(path)) look(path);
    const namespace = wanted.namespaces.get(path);
    if (namespace !== undefined) found.set(path, namespace);
  }
  return found;
}
