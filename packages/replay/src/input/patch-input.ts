import { disguised, isStandardInput, type PatchSet, type PlatformFunction, pristine } from '@reenact/instrumentation';
import type { GivenInput } from './given-input.ts';

/** Gives the program what was recorded of its standard input, by the stream and read like a file. */
export function patchInput(patches: PatchSet, given: GivenInput): void {
  patches.replaceGetter(process, 'stdin', () => () => given.stdin.open());
  const fs = process.getBuiltinModule('node:fs');
  patches.replace<typeof fs.readFileSync>(fs, 'readFileSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readFileSync>): unknown {
      return isStandardInput(parameters[0])
        ? readWhole(given, parameters[1])
        : Reflect.apply(original, this, parameters);
    };
    return disguised(read as typeof fs.readFileSync, original);
  });
  patches.replace<typeof fs.readSync>(fs, 'readSync', (original) => {
    const read = function (this: unknown, ...parameters: Parameters<typeof fs.readSync>): number {
      return isStandardInput(parameters[0]) ? readInto(given, parameters) : Reflect.apply(original, this, parameters);
    };
    return disguised(read as typeof fs.readSync, original);
  });
  patchLaterReads(patches, given);
}

/** What reads all of it by a callback or a promise: as there, not before the code around has gone on. */
function patchLaterReads(patches: PatchSet, given: GivenInput): void {
  const fs = process.getBuiltinModule('node:fs');
  patches.replace<PlatformFunction>(fs, 'readFile', (original) => {
    const read: PlatformFunction = function (this: unknown, ...parameters) {
      const callback = parameters.at(-1);
      if (!isStandardInput(parameters[0]) || typeof callback !== 'function')
        return Reflect.apply(original, this, parameters);
      const options = parameters.length > 2 ? parameters[1] : undefined;
      pristine.setImmediate(() => callback(null, readWhole(given, options)));
      return undefined;
    };
    return disguised(read, original);
  });
  patches.replace<PlatformFunction>(fs.promises, 'readFile', (original) => {
    const read: PlatformFunction = function (this: unknown, ...parameters) {
      if (!isStandardInput(parameters[0])) return Reflect.apply(original, this, parameters);
      return new Promise((resolve) => pristine.setImmediate(() => resolve(readWhole(given, parameters[1]))));
    };
    return disguised(read, original);
  });
}

function readWhole(given: GivenInput, options: unknown): string | Buffer {
  const parts: Uint8Array[] = [];
  for (
    let part = given.readFile(Number.POSITIVE_INFINITY);
    part.byteLength > 0;
    part = given.readFile(Number.POSITIVE_INFINITY)
  )
    parts.push(part);
  const content = Buffer.concat(parts);
  const encoding: unknown = typeof options === 'string' ? options : Reflect.get(Object(options), 'encoding');
  return typeof encoding === 'string' && encoding !== 'buffer' ? content.toString(encoding as BufferEncoding) : content;
}

function readInto(given: GivenInput, parameters: readonly unknown[]): number {
  const [, buffer, place, lengthGiven] = parameters;
  if (!ArrayBuffer.isView(buffer)) return 0;
  const options = typeof place === 'object' && place !== null ? place : { offset: place, length: lengthGiven };
  const offset = Number(Reflect.get(options, 'offset') ?? 0);
  const length = Number(Reflect.get(options, 'length') ?? buffer.byteLength - offset);
  const part = given.readFile(length);
  new Uint8Array(buffer.buffer, buffer.byteOffset + offset, part.byteLength).set(part);
  return part.byteLength;
}
