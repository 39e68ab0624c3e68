import { fileURLToPath } from 'node:url';
import type { FileEffect } from './file-effect.ts';
import { absolutePath, realPath } from './real-path.ts';

/** Opening a database for writing, by a path or a `file:` URL of SQLite; undefined where it is in memory, or the URL asks for reading only. */
export function databaseFileEffect(name: string, location: unknown): FileEffect | undefined {
  if (location instanceof URL || (typeof location === 'string' && location.startsWith('file:'))) {
    return urlEffect(name, String(location));
  }
  if (location === '' || location === ':memory:') return undefined;
  const path = absolutePath(location);
  return path === undefined
    ? undefined
    : { type: 'file', name, paths: [realPath(path)], target: path, isDatabase: true };
}

/** The same of `new DatabaseSync(location, options)`, which may ask for reading only by an option. */
export function openedDatabaseEffect(name: string, location: unknown, options: unknown): FileEffect | undefined {
  const isReadOnly =
    typeof options === 'object' && options !== null && 'readOnly' in options && options.readOnly === true;
  return isReadOnly ? undefined : databaseFileEffect(name, location);
}

function urlEffect(name: string, text: string): FileEffect | undefined {
  if (text.startsWith('file::memory:')) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return { type: 'file', name, paths: [undefined], target: text };
  const { searchParams } = url;
  const mode = searchParams.get('mode');
  if (mode === 'ro' || mode === 'memory') return undefined;
  const path = fileURLToPath(new URL(url.pathname, 'file:'));
  return { type: 'file', name, paths: [realPath(path)], target: path, isDatabase: true };
}
