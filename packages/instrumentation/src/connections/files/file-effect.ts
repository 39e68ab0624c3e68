import { constants, statSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { descriptorPath, isStandardDescriptor } from './descriptor-paths.ts';
import type { FileFunction } from './file-functions.ts';
import { absolutePath, entryPath, isOutput, realPath } from './real-path.ts';

/** A call that changes files, or the folders they are in: the guard of a replay refuses it but for scratch, and a recording is marked for it. */
export interface FileEffect {
  readonly type: 'file';
  /** The function, as code names it: `fs.writeFile`. */
  readonly name: string;
  /** The absolute paths it changes, links resolved; undefined where a descriptor leads nowhere known. */
  readonly paths: readonly (string | undefined)[];
  /** What is said of it. */
  readonly target: string;
  /** It only reads, a file that a replay has appended to aside. */
  readonly readsAppended?: true;
  /** It is a database: one that was there before lasts, wherever it lies. */
  readonly isDatabase?: boolean;
}

/** What a call changes, by what it is given. */
export type FileEffectOf = (parameters: readonly unknown[]) => FileEffect | undefined;

const writingFlags = constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;

/** Whether flags of `open` let a file be changed, or made. */
export function opensForWriting(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & writingFlags) !== 0;
  return typeof flags === 'string' && !/^(r|rs|sr)$/.test(flags);
}

/** Whether a value is a handle of an open file. */
export function isHandle(value: unknown): value is FileHandle {
  return typeof value === 'object' && value !== null && 'fd' in value && typeof value.fd === 'number';
}

/** Changing the file behind a descriptor; undefined for standard streams. */
export function descriptorEffect(name: string, descriptor: number): FileEffect | undefined {
  if (isStandardDescriptor(descriptor)) return undefined;
  const path = descriptorPath(descriptor);
  return { type: 'file', name, paths: [path], target: path ?? `file descriptor ${descriptor}` };
}

/** Changing what paths, descriptors or handles name. Undefined for what is no path, or leads nowhere: the original says so itself. */
export function pathEffect(name: string, values: readonly unknown[], isEntry: boolean): FileEffect | undefined {
  const [first] = values;
  if (typeof first === 'number') return descriptorEffect(name, first);
  if (isHandle(first)) return descriptorEffect(name, first.fd);
  try {
    const paths = values.map(absolutePath).filter((path) => path !== undefined);
    if (paths.length < values.length) return undefined;
    const changed = paths.map((path) => (isOutput(path) ? path : isEntry ? entryPath(path) : realPath(path)));
    return { type: 'file', name, paths: changed, target: paths.join(', ') };
  } catch (thrown) {
    if (isPathRefused(thrown)) return undefined;
    throw thrown;
  }
}

/** A path with a zero in it, an address that is none of a file, a file where a folder should be, links without end. */
function isPathRefused(thrown: unknown): boolean {
  const { code } = thrown as { readonly code?: unknown };
  return /^(?:ERR_INVALID_\w+|ENOTDIR|ELOOP|ENAMETOOLONG)$/.test(String(code));
}

/** Whether a call is one of `mkdir` with `recursive`: that of a folder which is there does nothing. */
export function makesFolders(name: string, [, options]: readonly unknown[]): boolean {
  if (!/\bmkdir(Sync)?$/.test(name) || typeof options !== 'object' || options === null) return false;
  return 'recursive' in options && options.recursive === true;
}

/** Programs make the folder of their logs at every start. */
function makesNothing(name: string, given: readonly unknown[]): boolean {
  return makesFolders(name, given) && isFolder(given[0]);
}

function isFolder(given: unknown): boolean {
  try {
    const path = absolutePath(given);
    return path !== undefined && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    // Nothing that can be made is there; what made it says why.
    return false;
  }
}

function flagOf(options: unknown): unknown {
  return typeof options === 'object' && options !== null && 'flag' in options ? options.flag : undefined;
}

/** Whether a call of a function may change a file, by what it is given: told without a look at the file. */
export function mayChange(what: FileFunction, given: readonly unknown[]): boolean {
  switch (what.does) {
    case 'write':
      return true;
    case 'open':
      return opensForWriting(given[what.flags]);
    case 'read-with-flag':
      return opensForWriting(flagOf(given[what.options]));
    case 'write-descriptor':
      return typeof given[0] === 'number' && !isStandardDescriptor(given[0]);
    case 'read':
    case 'use-descriptor':
    case 'open-stream':
    case 'open-later':
    case 'nothing':
      return false;
  }
}

/** What calls of a function change; undefined for one that changes nothing by itself, or is judged elsewhere. */
export function fileEffectOf(name: string, what: FileFunction): FileEffectOf | undefined {
  switch (what.does) {
    case 'write': {
      const { parameters, entry = false } = what;
      return (given) =>
        makesNothing(name, given)
          ? undefined
          : pathEffect(
              name,
              parameters.map((index) => given[index]),
              entry,
            );
    }
    case 'open':
    case 'read-with-flag':
      return (given) => (mayChange(what, given) ? pathEffect(name, [given[0]], false) : undefined);
    case 'write-descriptor':
      return ([descriptor]) => (typeof descriptor === 'number' ? descriptorEffect(name, descriptor) : undefined);
    case 'read':
    case 'use-descriptor':
    case 'open-stream':
    case 'open-later':
    case 'nothing':
      return undefined;
  }
}
