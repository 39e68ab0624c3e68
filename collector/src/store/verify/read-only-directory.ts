import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { FORMAT_FILE, RETENTION_COPY_FILE, RETENTION_TIME_FILE } from '../data-directory.ts';
import { INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { searchPathOf } from '../search/open-search-file.ts';
import { isBusyDatabase, isFullDisk, toStoreError } from '../store-error.ts';
import { QUEUE_FLOORS_FILE } from '../worker/queue-floors.ts';

/** What is only read, and much the largest part. */
const READ_FOLDERS = ['packs', 'chain'];
const LOG_FOLDER = 'log';

/**
 * Whether nothing can be written into a directory, as on a snapshot, a medium that is written once, one mounted so, or a file system that takes
 * nothing any more since it met an error.
 */
export function isReadOnly(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    return true;
  }
  try {
    // Permission is given also by a file system that refuses to write; setting what is set already changes nothing.
    chmodSync(directory, statSync(directory).mode & 0o7777);
    return false;
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EROFS';
  }
}

/**
 * Gives `work` a place that it may write to and that holds what a read-only data directory does: databases, log and small files as copies in the system's
 * folder for temporary files, for their owner alone, and links to everything else. It is gone afterwards. Throws ReenactError `store-failed`
 * where another process uses the directory, or it cannot be read.
 */
export function withWritableCopy<Result>(directory: string, work: (copy: string) => Result): Result {
  let copy: string | undefined;
  try {
    refuseUsed(directory);
    copy = mkdtempSync(join(tmpdir(), 'reenact-read-only-'));
    for (const folder of READ_FOLDERS) linkFiles(join(directory, folder), join(copy, folder));
    copyLog(directory, copy);
    for (const name of writtenFiles(directory)) copyWritable(join(directory, name), join(copy, name));
    return work(copy);
  } catch (thrown) {
    throw isFullDisk(thrown) ? fullTemporaryFolder(directory, thrown) : toStoreError(thrown, directory);
  } finally {
    if (copy !== undefined) rmSync(copy, { recursive: true, force: true });
  }
}

/** A directory that is read-only here may be written elsewhere: through another mount. */
function refuseUsed(directory: string): void {
  try {
    const database = new DatabaseSync(join(directory, FORMAT_FILE), { readOnly: true });
    database.prepare('SELECT version FROM format_version').get();
    database.close();
  } catch (thrown) {
    // Anything else is what SQLite says where it would have to write beside the file.
    if (isBusyDatabase(thrown)) throw thrown;
  }
}

/** Each by itself: what a process that was killed has left is removed where a store is opened, which here takes the link and not the file. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const name of systemDisk.list(from)) symlinkSync(join(from, name), join(to, name));
}

/** Nothing else is written to: the advice for a full data directory would have parts of what is only read removed. */
function fullTemporaryFolder(directory: string, cause: unknown): ReenactError {
  return new ReenactError('store-failed', `The folder for temporary files, ${tmpdir()}, has too little room.`, {
    where: directory,
    next: 'A directory that takes no writes is read through a copy of its databases and its log: name a folder with room for them in TMPDIR.',
    cause,
  });
}

function writtenFiles(directory: string): string[] {
  const databases = [FORMAT_FILE, INDEX_FILE, searchPathOf('')].flatMap((name) => [name, `${name}-wal`]);
  const small = [QUEUE_FLOORS_FILE, RETENTION_TIME_FILE, RETENTION_COPY_FILE];
  return [...databases, ...small].filter((name) => existsSync(join(directory, name)));
}

function copyLog(directory: string, copy: string): void {
  mkdirSync(join(copy, LOG_FOLDER));
  for (const name of systemDisk.list(join(directory, LOG_FOLDER)))
    copyWritable(join(directory, LOG_FOLDER, name), join(copy, LOG_FOLDER, name));
}

function copyWritable(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  chmodSync(to, 0o600);
}
