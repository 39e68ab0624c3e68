import { constants } from 'node:fs';
import { guarded } from '../host/report-failure.ts';
import { type AnyFunction, disguised, type PatchSet } from '../patching/patch-set.ts';
import type { InputWatch } from './input-watch.ts';
import { givenPath, isStandardInput } from './is-standard-input.ts';
import type { OwnReads } from './own-reads.ts';

const TERMINAL = '/dev/tty';

function noteFile(bytes: Uint8Array | undefined, { isRecorded, tape }: InputWatch): void {
  if (isRecorded) tape.read({ bytes, isTerminal: false, isShown: false, isRaw: false, isFile: true });
  else if (bytes !== undefined) tape.cut();
}

/** The part of a buffer that `readSync` has filled, told by what it was called with; undefined where it came to the end. */
function filledBy(parameters: readonly unknown[], length: number): Uint8Array | undefined {
  const [, buffer, offset] = parameters;
  if (length === 0 || !ArrayBuffer.isView(buffer)) return undefined;
  const given: unknown = typeof offset === 'object' && offset !== null ? Reflect.get(offset, 'offset') : offset;
  return new Uint8Array(buffer.buffer, buffer.byteOffset + Number(given ?? 0), length);
}

function noteWhole(content: unknown, options: unknown, watch: InputWatch): void {
  const encoding: unknown = typeof options === 'string' ? options : Reflect.get(Object(options), 'encoding');
  const bytes =
    typeof content === 'string'
      ? Buffer.from(content, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : content;
  if (!(bytes instanceof Uint8Array)) return;
  if (bytes.byteLength > 0) noteFile(bytes, watch);
  noteFile(undefined, watch);
}

function isTerminal(path: unknown): boolean {
  return (
    path === TERMINAL ||
    (typeof path === 'object' && guarded('reading a path', () => givenPath(path), path) === TERMINAL)
  );
}

function isForReading(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (constants.O_WRONLY | constants.O_RDWR)) !== constants.O_WRONLY;
  return typeof flags !== 'string' || /[r+]/.test(flags);
}

/**
 * Records what is read of standard input like a file: whole, or piece by piece. Who opens it, or the terminal, as a file of its own reads what is not
 * recorded, and so does who reads ahead by a callback. `ownReads`: those of `process.stdin`.
 */
export function watchFilesOfInput(patches: PatchSet, watch: InputWatch, ownReads: OwnReads): void {
  const fs = process.getBuiltinModule('node:fs');
  // What reads a file whole opens it, and reads it piece by piece, by the other ones.
  let isWhole = false;
  patches.replace<typeof fs.readFileSync>(fs, 'readFileSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readFileSync>): unknown {
      if (!isStandardInput(parameters[0])) return Reflect.apply(original, this, parameters);
      isWhole = true;
      try {
        const content: unknown = Reflect.apply(original, this, parameters);
        guarded('recording standard input', () => noteWhole(content, parameters[1], watch), undefined);
        return content;
      } finally {
        isWhole = false;
      }
    };
    return disguised(read as typeof fs.readFileSync, original);
  });
  patches.replace<typeof fs.readSync>(fs, 'readSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readSync>): number {
      const length = Reflect.apply(original, this, parameters);
      if (!isWhole && isStandardInput(parameters[0]))
        guarded('recording standard input', () => noteFile(filledBy(parameters, length), watch), undefined);
      return length;
    };
    return disguised(read as typeof fs.readSync, original);
  });
  watchLaterReads(patches, watch, (work) => {
    isWhole = true;
    try {
      return work();
    } finally {
      isWhole = false;
    }
  });
  const cut = (): void => {
    if (!isWhole) watch.tape.cut();
  };
  watchOpens(patches, cut);
  watchUnrecordedReads(patches, ownReads, cut);
}

/** What reads all of it by a callback or a promise. `wholly`: runs what begins that. */
function watchLaterReads(patches: PatchSet, watch: InputWatch, wholly: <Result>(work: () => Result) => Result): void {
  const fs = process.getBuiltinModule('node:fs');
  const note = (content: unknown, options: unknown): void =>
    guarded('recording standard input', () => noteWhole(content, options, watch), undefined);
  patches.replace<AnyFunction>(fs, 'readFile', (original) => {
    const read: AnyFunction = function (this: unknown, ...parameters) {
      const callback = parameters.at(-1);
      if (!isStandardInput(parameters[0]) || typeof callback !== 'function')
        return Reflect.apply(original, this, parameters);
      const options = parameters.length > 2 ? parameters[1] : undefined;
      const told = function (this: unknown, error: unknown, content: unknown): void {
        if (error === null || error === undefined) note(content, options);
        Reflect.apply(callback, this, [error, content]);
      };
      return wholly(() => Reflect.apply(original, this, [...parameters.slice(0, -1), told]));
    };
    return disguised(read, original);
  });
  patches.replace<AnyFunction>(fs.promises, 'readFile', (original) => {
    const read: AnyFunction = function (this: unknown, ...parameters) {
      if (!isStandardInput(parameters[0])) return Reflect.apply(original, this, parameters);
      const reading = wholly(() => Reflect.apply(original, this, parameters)) as Promise<unknown>;
      return reading.then((content) => {
        note(content, parameters[1]);
        return content;
      });
    };
    return disguised(read, original);
  });
}

/** What opens it, or the terminal, as a file of its own. */
function watchOpens(patches: PatchSet, cut: () => void): void {
  const fs = process.getBuiltinModule('node:fs');
  const openings = [
    [fs, 'openSync'],
    [fs, 'open'],
    [fs.promises, 'open'],
  ] as const;
  for (const [owner, name] of openings) {
    patches.replace<AnyFunction>(owner, name, (original) => {
      const open: AnyFunction = function (this: unknown, ...parameters) {
        const [path, flags] = parameters;
        if ((isTerminal(path) || isStandardInput(path)) && isForReading(flags)) cut();
        return Reflect.apply(original, this, parameters);
      };
      return disguised(open, original);
    });
  }
}

/** What reads it in ways that are not recorded. A file's `process.stdin` reads it so, too. */
function watchUnrecordedReads(patches: PatchSet, ownReads: OwnReads, cut: () => void): void {
  const fs = process.getBuiltinModule('node:fs');
  for (const name of ['read', 'readv', 'readvSync'] as const) {
    patches.replace<AnyFunction>(fs, name, (original) => {
      const read: AnyFunction = function (this: unknown, ...parameters) {
        if (isStandardInput(parameters[0]) && !ownReads.isUnderWay) cut();
        return Reflect.apply(original, this, parameters);
      };
      return disguised(read, original);
    });
  }
}
