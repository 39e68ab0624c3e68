import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { types } from 'node:util';
import { isReenactError, ReenactError } from '@reenact/trace-model';

const require = createRequire(import.meta.url);

const loadProblems: Readonly<Record<string, string>> = {
  ERR_UNKNOWN_FILE_EXTENSION:
    'This Node.js does not load it: take Node.js 22.18 or later without --no-experimental-strip-types, name the compiled file, or set NODE_OPTIONS=--import=tsx.',
  ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING:
    'Node.js loads no TypeScript below node_modules: name the compiled file.',
  ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX:
    'Node.js only erases types, and this syntax must be compiled: name the compiled file, or set NODE_OPTIONS=--import=tsx.',
  ERR_INVALID_TYPESCRIPT_SYNTAX: 'Correct the syntax.',
  ERR_REQUIRE_ASYNC_MODULE: 'Take the top-level await out of it and of what it imports: the hook cannot wait for it.',
};

function codeOf(thrown: unknown): string {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined;
  return typeof code === 'string' ? code : '';
}

/** What to do where a user's module could not be loaded. */
export function nextAfterLoadFailure(thrown: unknown): string {
  return loadProblems[codeOf(thrown)] ?? 'Correct the module, or the path if it is another one.';
}

function cannotLoad(thrown: unknown, path: string, where: string): ReenactError {
  if (isReenactError(thrown)) return thrown;
  if (!existsSync(path))
    return new ReenactError('bad-config', `There is no ${path}.`, { where, next: 'Correct the path.', cause: thrown });
  // Behind the first line stands which modules of ours asked for it.
  const [message = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\nRequire stack:');
  const next = nextAfterLoadFailure(thrown);
  return new ReenactError('bad-config', `${path} could not be loaded: ${message}`, { where, next, cause: thrown });
}

/** Imports a user's module by its absolute path. Throws ReenactError `bad-config` that says why it could not be loaded. */
export async function loadModule(path: string, where: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    throw cannotLoad(thrown, path, where);
  }
}

/**
 * As loadModule, but done when it returns: the module and what it imports may have no top-level await. What `module.exports` holds
 * counts as the default export, as for an import.
 */
export function requireModule(path: string, where: string): Readonly<Record<string, unknown>> {
  try {
    const loaded: unknown = require(path);
    const isNamespace = types.isModuleNamespaceObject(loaded);
    return isNamespace ? (loaded as Readonly<Record<string, unknown>>) : { ...Object(loaded), default: loaded };
  } catch (thrown) {
    throw cannotLoad(thrown, path, where);
  }
}
