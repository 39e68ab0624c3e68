import { constants, statSync } from 'node:fs';
import { absolutePath, isOutput, realPath } from './real-path.ts';

const { O_APPEND, O_EXCL, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const appendFlags = /^(?:a|as|sa)$/;

/** Whether flags of `open` let a file be added to, and nothing else: not read, not emptied, not asked to be new. */
function addsOnly(flags: unknown): boolean {
  if (typeof flags !== 'number') return typeof flags === 'string' && appendFlags.test(flags);
  return (flags & (O_WRONLY | O_RDWR | O_APPEND | O_TRUNC | O_EXCL)) === (O_WRONLY | O_APPEND);
}

/** A stream that writes never reads, whatever its file is opened for. */
function streamAddsOnly(flags: unknown): boolean {
  if (typeof flags === 'number') return addsOnly((flags & O_RDWR) === 0 ? flags : (flags & ~O_RDWR) | O_WRONLY);
  return addsOnly(typeof flags === 'string' ? flags.replace('+', '') : flags);
}

function member(options: unknown, name: 'flag' | 'flags'): unknown {
  return typeof options === 'object' && options !== null ? Reflect.get(options, name) : undefined;
}

function isAppendingCall(key: string, [, second, third]: readonly unknown[]): boolean {
  switch (key.replace(/Sync$/, '')) {
    case 'open':
      return addsOnly(second);
    case 'appendFile':
      return addsOnly(member(third, 'flag') ?? 'a');
    case 'writeFile':
      return addsOnly(member(third, 'flag'));
    case 'createWriteStream':
      return streamAddsOnly(member(second, 'flags'));
    default:
      return false;
  }
}

/**
 * The absolute path that a call of a function of `node:fs` only adds to, as one of a log does; undefined for any other call. `key`: the
 * function by its name, with `Sync` or without.
 */
export function appendingPath(key: string, given: readonly unknown[]): string | undefined {
  const path = isAppendingCall(key, given) ? absolutePath(given[0]) : undefined;
  return path === undefined || isOutput(path) ? undefined : path;
}

/** The file at such a path, links followed; undefined where that is none, such as a pipe. One that is yet to be made is a file. */
export function fileToAppend(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined || stat.isFile() ? realPath(path) : undefined;
}
