import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LINKS_FOLLOWED_MAX } from '../../limits.ts';

/** A path as `node:fs` takes it, absolute; undefined where it is none. */
export function absolutePath(value: unknown): string | undefined {
  if (typeof value === 'string') return resolve(value);
  if (value instanceof Uint8Array) return resolve(Buffer.from(value).toString('utf8'));
  if (value instanceof URL) return fileURLToPath(value);
  return undefined;
}

/** Written to by every program: what goes there is seen or gone, and changes nothing. */
const outputs = new Set([
  '/dev/null',
  '/dev/tty',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/fd/1',
  '/dev/fd/2',
  '/proc/self/fd/1',
  '/proc/self/fd/2',
  '\\\\.\\nul',
]);

/** Whether a path is one that every program writes to. Asked before links are followed: `/dev/stdout` leads to a pipe. */
export function isOutput(path: string): boolean {
  return outputs.has(path.toLowerCase());
}

function linkTarget(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  return resolve(dirname(path), readlinkSync(path));
}

/** Where writing to an absolute path ends up: all links followed, also where the file is yet to be made. */
export function realPath(path: string, linksLeft = LINKS_FOLLOWED_MAX): string {
  try {
    return realpathSync(path);
  } catch {
    const target = linksLeft > 0 ? linkTarget(path) : undefined;
    if (target !== undefined) return realPath(target, linksLeft - 1);
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder, linksLeft), basename(path));
  }
}

/** The directory entry itself, which is what removing, renaming and linking change: a link there is not followed. */
export function entryPath(path: string): string {
  return join(realPath(dirname(path)), basename(path));
}
