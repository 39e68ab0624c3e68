import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HASHED_BYTES_MAX, TRACKED_FILES_MAX } from '../limits.ts';

/** One tracked file as git's index knows it. */
interface IndexEntry {
  readonly path: string;
  readonly modifiedS: number;
  readonly bytes: number;
  /** SHA-1 of the blob, hex. */
  readonly blob: string;
  readonly isFile: boolean;
}

const FIXED_BYTES = 62;
const EXTENDED_FLAG = 0x4000;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

/** Reads git's index, versions 2 and 3 (git's index-format documentation). Undefined for any other file. */
function readIndex(index: Buffer): IndexEntry[] | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if ((version !== 2 && version !== 3) || count > TRACKED_FILES_MAX) return undefined;
  const entries: IndexEntry[] = [];
  let start = 12;
  for (let read = 0; read < count; read += 1) {
    if (start + FIXED_BYTES > index.length) return undefined;
    const isExtended = (index.readUInt16BE(start + 60) & EXTENDED_FLAG) !== 0;
    const pathStart = start + FIXED_BYTES + (isExtended ? 2 : 0);
    const pathEnd = index.indexOf(0, pathStart);
    if (pathEnd === -1) return undefined;
    entries.push({
      path: index.toString('utf8', pathStart, pathEnd),
      modifiedS: index.readUInt32BE(start + 8),
      bytes: index.readUInt32BE(start + 36),
      blob: index.toString('hex', start + 40, start + 60),
      isFile: (index.readUInt32BE(start + 24) & FILE_TYPE_MASK) === REGULAR_FILE,
    });
    // Entries are padded with one to eight zero bytes to a multiple of eight.
    start += (pathEnd - start + 8) & ~7;
  }
  return entries;
}

function isSameBlob(path: string, blob: string): boolean {
  const content = readFileSync(path);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex') === blob;
}

/**
 * Whether a file git tracks was changed since it was last added: true where one surely was, undefined where none was found or
 * it could not be looked for. Untracked files and what is added but not committed do not count. Starts no process, and never throws.
 */
export function hasChangedFiles(root: string): true | undefined {
  try {
    let hashedBytes = 0;
    for (const { path, modifiedS, bytes, blob, isFile } of readIndex(readFileSync(join(root, '.git/index'))) ?? []) {
      if (!isFile) continue;
      const found = lstatSync(join(root, path), { throwIfNoEntry: false });
      if (found === undefined || found.size % 2 ** 32 !== bytes) return true;
      if (Math.floor(found.mtimeMs / 1_000) === modifiedS) continue;
      hashedBytes += found.size;
      if (hashedBytes > HASHED_BYTES_MAX) return undefined;
      if (!isSameBlob(join(root, path), blob)) return true;
    }
  } catch {
    // A tree that cannot be read says nothing of its state.
  }
  return undefined;
}
