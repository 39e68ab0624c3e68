/** What a function of `node:fs` does to files, and with which parameters. */
export type FileFunction =
  /** Changes nothing. */
  | { readonly does: 'read' }
  /** Changes what these parameters name. `entry`: the directory entry itself, where a link is not followed. */
  | { readonly does: 'write'; readonly parameters: readonly number[]; readonly entry?: true }
  /** Opens a file: the flags in this parameter tell what for. */
  | { readonly does: 'open'; readonly flags: number }
  /** Reads a file, but may be given flags that empty it. */
  | { readonly does: 'read-with-flag'; readonly options: number }
  /** Changes the open file behind a descriptor. */
  | { readonly does: 'write-descriptor' }
  /** Reads from, flushes or closes a descriptor. */
  | { readonly does: 'use-descriptor' }
  /** Makes a stream that writes a file. */
  | { readonly does: 'open-stream' }
  /** Makes an object that opens its file by the `open` of `node:fs`, where it is judged. */
  | { readonly does: 'open-later' }
  /** Not a function that touches files. */
  | { readonly does: 'nothing' };

const read: FileFunction = { does: 'read' };
const follows = (...parameters: number[]): FileFunction => ({ does: 'write', parameters });
const changesEntry = (...parameters: number[]): FileFunction => ({ does: 'write', parameters, entry: true });
const writesDescriptor: FileFunction = { does: 'write-descriptor' };
const usesDescriptor: FileFunction = { does: 'use-descriptor' };
const opensLater: FileFunction = { does: 'open-later' };
const nothing: FileFunction = { does: 'nothing' };

/**
 * Every function of `node:fs` and `node:fs/promises`, without `Sync`. A test fails on one that Node.js has and this table
 * has not.
 */
export const FILE_FUNCTIONS: Readonly<Record<string, FileFunction>> = {
  appendFile: follows(0),
  chmod: follows(0),
  chown: follows(0),
  copyFile: follows(1),
  cp: follows(1),
  lchmod: changesEntry(0),
  lchown: changesEntry(0),
  // A hard link makes the same file writable under another name: both are changed.
  link: changesEntry(0, 1),
  lutimes: changesEntry(0),
  mkdir: follows(0),
  mkdtemp: changesEntry(0),
  mkdtempDisposable: changesEntry(0),
  rename: changesEntry(0, 1),
  rm: changesEntry(0),
  rmdir: changesEntry(0),
  symlink: changesEntry(1),
  truncate: follows(0),
  unlink: changesEntry(0),
  utimes: follows(0),
  writeFile: follows(0),

  open: { does: 'open', flags: 1 },
  readFile: { does: 'read-with-flag', options: 1 },

  fchmod: writesDescriptor,
  fchown: writesDescriptor,
  ftruncate: writesDescriptor,
  futimes: writesDescriptor,
  write: writesDescriptor,
  writev: writesDescriptor,

  close: usesDescriptor,
  fdatasync: usesDescriptor,
  fstat: usesDescriptor,
  fsync: usesDescriptor,
  read: usesDescriptor,
  readv: usesDescriptor,

  FileReadStream: opensLater,
  FileWriteStream: opensLater,
  ReadStream: opensLater,
  Utf8Stream: opensLater,
  WriteStream: opensLater,
  createReadStream: opensLater,
  createWriteStream: { does: 'open-stream' },

  access: read,
  exists: read,
  glob: read,
  lstat: read,
  openAsBlob: read,
  opendir: read,
  readdir: read,
  readlink: read,
  realpath: read,
  stat: read,
  statfs: read,
  unwatchFile: read,
  watch: read,
  watchFile: read,

  Dir: nothing,
  Dirent: nothing,
  F_OK: nothing,
  R_OK: nothing,
  Stats: nothing,
  W_OK: nothing,
  X_OK: nothing,
  _toUnixTimestamp: nothing,
  constants: nothing,
  promises: nothing,
};

/** The methods of a `FileHandle` that change its file. The others read, or end in one of these. */
export const HANDLE_WRITES = [
  'appendFile',
  'chmod',
  'chown',
  'truncate',
  'utimes',
  'write',
  'writeFile',
  'writev',
] as const;

/** What a function of `node:fs` by this name does; undefined for one that is not known. */
export function fileFunction(name: string): FileFunction | undefined {
  if (Object.hasOwn(FILE_FUNCTIONS, name)) return FILE_FUNCTIONS[name];
  const plain = name.replace(/Sync$/, '');
  return Object.hasOwn(FILE_FUNCTIONS, plain) ? FILE_FUNCTIONS[plain] : undefined;
}

/** Whether a function of `node:fs` by this name may read the file that its first parameter names. */
export function readsFile(name: string): boolean {
  return /^(?:open|readFile|copyFile|cp)(?:Sync)?$/.test(name);
}
