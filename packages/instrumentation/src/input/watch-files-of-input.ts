import { constants } from 'node:fs';
import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import type { InputWatch } from './input-watch.ts';
import { isStandardInput } from './is-standard-input.ts';

const TERMINAL = '/dev/tty';

type Open = (this: unknown, path: unknown, flags?: unknown, ...others: unknown[]) => unknown;

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
      : (content as Uint8Array);
  if (bytes.byteLength > 0) noteFile(bytes, watch);
  noteFile(undefined, watch);
}

function isForReading(flags: unknown): boolean {
  if (typeof flags === 'number') return (flags & (constants.O_WRONLY | constants.O_RDWR)) !== constants.O_WRONLY;
  return typeof flags !== 'string' || /[r+]/.test(flags);
}

/**
 * Records what is read of standard input like a file: whole, or piece by piece. Who opens it, or the terminal, as a file of its own reads what is not
 * recorded.
 */
export function watchFilesOfInput(patches: PatchSet, watch: InputWatch): void {
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
  for (const [owner, name] of [
    [fs, 'openSync'],
    [fs, 'open'],
    [fs.promises, 'open'],
  ] as const) {
    patches.replace<Open>(owner, name, (original) => {
      const open: Open = function (this: unknown, path, flags, ...others) {
        if ((path === TERMINAL || isStandardInput(path)) && !isWhole && isForReading(flags)) watch.tape.cut();
        return Reflect.apply(
          original,
          this,
          flags === undefined && others.length === 0 ? [path] : [path, flags, ...others],
        );
      };
      return disguised(open, original);
    });
  }
}
