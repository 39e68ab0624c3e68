import { writeSync } from 'node:fs';

/** Writes all of it: a disk that gets full takes a part and says nothing until it is asked for the rest. */
export function writeWhole(file: number, content: Buffer, write: typeof writeSync = writeSync): void {
  for (let at = 0; at < content.length; ) at += write(file, content, at, content.length - at, at);
}
