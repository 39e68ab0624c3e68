import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { HASHED_BYTES_MAX, TRACKED_FILES_MAX } from '../limits.ts';
import { type GitFolder, readText } from './git-folder.ts';

/** One tracked file as git's index knows it. */
interface IndexEntry {
  readonly path: string;
  readonly modifiedS: number;
  readonly bytes: number;
  /** SHA-1 of the blob, hex. */
  readonly blob: string;
  readonly isFile: boolean;
  /** Git was told not to look at it, or that it need not be there. */
  readonly isPassedOver: boolean;
}

const FIXED_BYTES = 62;
const EXTENDED_FLAG = 0x4000;
const ASSUME_UNCHANGED_FLAG = 0x8000;
/** In the flags that only an extended entry has. */
const SKIP_WORKTREE_FLAG = 0x4000;
const FILE_TYPE_MASK = 0o170000;
const REGULAR_FILE = 0o100000;

/** Reads git's index of SHA-1 names, versions 2 and 3 (git's index-format documentation). Undefined for any other file, and where a part is in another. */
function readIndex(index: Buffer): IndexEntry[] | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if ((version !== 2 && version !== 3) || count > TRACKED_FILES_MAX) return undefined;
  const entries: IndexEntry[] = [];
  let start = 12;
  for (let read = 0; read < count; read += 1) {
    if (start + FIXED_BYTES > index.length) return undefined;
    const flags = index.readUInt16BE(start + 60);
    const isExtended = (flags & EXTENDED_FLAG) !== 0;
    const isSkipped = isExtended && (index.readUInt16BE(start + FIXED_BYTES) & SKIP_WORKTREE_FLAG) !== 0;
    const pathStart = start + FIXED_BYTES + (isExtended ? 2 : 0);
    const pathEnd = index.indexOf(0, pathStart);
    if (pathEnd <= pathStart) return undefined;
    entries.push({
      path: index.toString('utf8', pathStart, pathEnd),
      modifiedS: index.readUInt32BE(start + 8),
      bytes: index.readUInt32BE(start + 36),
      blob: index.toString('hex', start + 40, start + 60),
      isFile: (index.readUInt32BE(start + 24) & FILE_TYPE_MASK) === REGULAR_FILE,
      isPassedOver: isSkipped || (flags & ASSUME_UNCHANGED_FLAG) !== 0,
    });
    // Entries are padded with one to eight zero bytes to a multiple of eight.
    start += (pathEnd - start + 8) & ~7;
  }
  return entries;
}

function isBlob(content: Buffer, blob: string): boolean {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex') === blob;
}

/** Whether git has this content, also where it keeps the ends of lines in another way than the work tree. */
function isSameBlob(path: string, blob: string): boolean {
  const content = readFileSync(path);
  if (isBlob(content, blob)) return true;
  return isBlob(Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'), blob);
}

/** Git's own settings, those of the user and those of the machine. */
function configTexts({ common }: GitFolder): string {
  const home = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const paths = [join(common, 'config'), join(homedir(), '.gitconfig'), join(home, 'git/config'), '/etc/gitconfig'];
  return paths.map((path) => readText(path) ?? '').join('\n');
}

/** Whether git may keep a file otherwise than by the ends of its lines: through a filter, with an id in it, or in another encoding. */
function mayBeConverted(git: GitFolder, path: string): boolean {
  if (/^\s*attributesfile\b/im.test(configTexts(git))) return true;
  const home = process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config');
  const folders = [git.root];
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.push(join(git.root, folder));
  const paths = [
    ...folders.map((folder) => join(folder, '.gitattributes')),
    join(git.common, 'info/attributes'),
    join(home, 'git/attributes'),
    '/etc/gitattributes',
  ];
  return paths.some((file) => /\b(filter|ident|working-tree-encoding)\b/.test(readText(file) ?? ''));
}

/**
 * Whether a file git tracks was changed since it was last added: true where one surely was, undefined where none was found or
 * it could not be looked for. Untracked files and what is added but not committed do not count. Starts no process, and never throws.
 */
export function hasChangedFiles(git: GitFolder): true | undefined {
  try {
    // An index of longer names is laid out otherwise.
    if (/^\s*objectformat\s*=(?!\s*sha1\s*$)/im.test(readText(join(git.common, 'config')) ?? '')) return undefined;
    let hashedBytes = 0;
    for (const entry of readIndex(readFileSync(join(git.own, 'index'))) ?? []) {
      if (!entry.isFile || entry.isPassedOver) continue;
      const path = join(git.root, entry.path);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return true;
      const isSameSize = found.size % 2 ** 32 === entry.bytes;
      if (isSameSize && Math.floor(found.mtimeMs / 1_000) === entry.modifiedS) continue;
      hashedBytes += found.size;
      if (hashedBytes > HASHED_BYTES_MAX) return undefined;
      if (!isSameBlob(path, entry.blob) && !mayBeConverted(git, entry.path)) return true;
    }
  } catch {
    // A tree that cannot be read says nothing of its state.
  }
  return undefined;
}
