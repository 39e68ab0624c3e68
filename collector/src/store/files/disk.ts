import {
  closeSync,
  constants,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writevSync,
} from 'node:fs';
import { makeDirectories } from './make-directories.ts';

/**
 * The file operations that durability rests on, behind an interface so that tests can cut the power between any two of
 * them. All are synchronous: they run on the store's own threads.
 */
export interface Disk {
  /** Opens a file for reading and writing, making it where needed. */
  open(path: string): number;
  /** Opens a file that exists for reading. */
  openRead(path: string): number;
  close(file: number): void;
  size(file: number): number;
  /** Whether a path still leads to this open file: one that was removed or moved takes writes all the same. */
  isAt(file: number, path: string): boolean;
  /** Reads up to `bytes` bytes; fewer only at the end of the file. */
  read(file: number, position: number, bytes: number): Buffer<ArrayBuffer>;
  /** Writes all of these buffers one behind the other. */
  write(file: number, buffers: readonly Uint8Array[], position: number): void;
  truncate(file: number, bytes: number): void;
  /** Everything written to the file before is durable after this; `isSizeChanged` when its length must be, too. */
  sync(file: number, isSizeChanged: boolean): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  /** Renames, removals and new files of a directory are durable after this. */
  syncDirectory(path: string): void;
  /** Makes a directory and those above it. */
  makeDirectory(path: string): void;
  /** What the disk of a directory has left for this user, and how large it is. */
  space(directory: string): { readonly freeBytes: number; readonly totalBytes: number };
  /** Names of the files in a directory, sorted; none when it does not exist. */
  list(path: string): string[];
}

const BUFFERS_PER_WRITE_MAX = 512;

/** Writes all of the buffers, however few bytes the system takes at a time. */
function writeAll(file: number, buffers: readonly Uint8Array[], start: number): void {
  let position = start;
  let left = buffers.filter(({ length }) => length > 0);
  while (left.length > 0) {
    let written = writevSync(file, left.slice(0, BUFFERS_PER_WRITE_MAX), position);
    position += written;
    while (left[0] !== undefined && written >= left[0].length) {
      written -= left[0].length;
      left = left.slice(1);
    }
    if (written > 0 && left[0] !== undefined) left = [left[0].subarray(written), ...left.slice(1)];
  }
}

function readAll(file: number, position: number, bytes: number): Buffer<ArrayBuffer> {
  const buffer = Buffer.allocUnsafeSlow(bytes);
  let filled = 0;
  while (filled < bytes) {
    const read = readSync(file, buffer, filled, bytes - filled, position + filled);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}

/** The real one. */
export const systemDisk: Disk = {
  open: (path) => openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600),
  openRead: (path) => openSync(path, constants.O_RDONLY),
  close: closeSync,
  size: (file) => fstatSync(file).size,
  isAt: (file, path) => {
    const [opened, found] = [fstatSync(file), statSync(path, { throwIfNoEntry: false })];
    return found !== undefined && found.ino === opened.ino && found.dev === opened.dev;
  },
  read: readAll,
  write: writeAll,
  truncate: ftruncateSync,
  sync: (file, isSizeChanged) => (isSizeChanged ? fsyncSync(file) : fdatasyncSync(file)),
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
  syncDirectory: (path) => {
    const directory = openSync(path, 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  },
  makeDirectory: (path) => void makeDirectories(path),
  space: (directory) => {
    const { bavail, blocks, bsize } = statfsSync(directory);
    return { freeBytes: bavail * bsize, totalBytes: blocks * bsize };
  },
  list: (path) => {
    const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
    return entries.flatMap((entry) => (entry.isDirectory() ? [] : [entry.name])).sort();
  },
};
