import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ReenactError } from '@reenact/trace-model';

/** Where the text is put together, and where it goes from there; the same where a pipe or a device is written to. */
interface Places {
  readonly draft: string;
  readonly final: string;
  /** Permissions of the file that is there already. */
  readonly mode?: number;
}

function placesOf(path: string): Places {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isFile()) return { draft: path, final: path };
  // A link stays one: what it leads to is replaced.
  const final = stats === undefined ? path : realpathSync(path);
  if (stats !== undefined) accessSync(final, constants.W_OK);
  // Where nothing can be made beside it, it is written as it stands.
  if (stats !== undefined && !isWritable(dirname(final))) return { draft: final, final };
  return { draft: `${final}.${process.pid}.part`, final, ...(stats !== undefined && { mode: stats.mode }) };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Gives how many bytes were written. */
function writeLines(path: string, lines: Iterable<string>): number {
  let bytes = 0;
  const file = openSync(path, 'w');
  try {
    for (const line of lines) {
      writeFileSync(file, line);
      bytes += Buffer.byteLength(line);
    }
    return bytes;
  } finally {
    closeSync(file);
  }
}

function settle({ draft, final, mode }: Places): void {
  if (draft === final) return;
  const file = openSync(draft, 'r+');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  if (mode !== undefined) chmodSync(draft, mode);
  try {
    renameSync(draft, final);
  } catch (cause) {
    // A file that is mounted by itself cannot be replaced.
    if ((cause as NodeJS.ErrnoException).code !== 'EBUSY') throw cause;
    copyFileSync(draft, final);
    rmSync(draft, { force: true });
  }
}

function refusal(path: string, cause: unknown): ReenactError {
  const { code } = cause as NodeJS.ErrnoException;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT';
  const what = isFull ? `There is no room for ${path}.` : `${path} cannot be written.`;
  const next = isFull
    ? 'Free some space, or give --out a path on another disk; a file that was there is as it was.'
    : 'Give --out a path in a folder that exists and is yours.';
  return new ReenactError('bad-argument', what, { where: path, next, cause });
}

/**
 * Writes a fixture and gives how many bytes it has. All of it or nothing: the fixture that stood there before may be the only copy of an
 * incident, so it is replaced by one that is whole and on the disk.
 */
export function writeFixtureFile(path: string, lines: Iterable<string>): number {
  let places: Places | undefined;
  try {
    places = placesOf(path);
    const bytes = writeLines(places.draft, lines);
    settle(places);
    return bytes;
  } catch (cause) {
    if (places !== undefined && places.draft !== places.final) rmSync(places.draft, { force: true });
    throw refusal(path, cause);
  }
}
