import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { FORMAT_VERSION, INDEX_FILE } from './database/schema.ts';
import { lockHolderOf } from './files/lock-holder.ts';
import { makeDirectories } from './files/make-directories.ts';
import { makePrivateFile } from './files/private-file.ts';
import { needRoomForSharedMemory } from './files/shared-memory-room.ts';
import { needTemporaryFolder } from './files/temporary-folder.ts';
import { refuseUnfinished } from './files/unfinished-backup.ts';
import { forgetHolder, noteHolder } from './holder-note.ts';
import { logDirectoryOf } from './log/segment-files.ts';
import { packDirectoryOf } from './pack/pack-file.ts';
import { DIRECTORY_IN_USE, isDamagedDatabase, toStoreError } from './store-error.ts';

/** The file that says which format a data directory has, and whose lock keeps a second process out. */
export const FORMAT_FILE = 'recordings.sqlite';

/** The file that says how late it was for retention, and how the system's clock was set. */
export const RETENTION_TIME_FILE = 'retention.json';

/** The same once more, for nothing else knows how the clock was set. */
export const RETENTION_COPY_FILE = 'retention-copy.json';

/**
 * A data directory held by this process alone, until it is released or the process ends. The file that holds the
 * version is the whole store of version 1, so that a program of that time refuses this directory instead of finding it
 * empty.
 */
export class DataDirectory {
  readonly path: string;
  /** The version found; what is newly made has the current one. */
  readonly version: number;
  readonly database: DatabaseSync;
  private isRaised: boolean;

  /**
   * Makes the directory where needed. Throws ReenactError `store-failed` when it cannot be used or another process has
   * it, `unsupported` when a newer version of Reenact wrote it. `heldFor`: the command that has it while it works.
   */
  constructor(path: string, heldFor?: string) {
    this.path = path;
    let database: DatabaseSync | undefined;
    try {
      refuseUnfinished(path);
      makeDirectory(path);
      needRoomForSharedMemory(path);
      database = new DatabaseSync(makePrivateFile(join(path, FORMAT_FILE)));
      needTemporaryFolder(database, path);
      // EXCLUSIVE keeps the lock of the first transaction for as long as this connection lives.
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
      this.version = prepareVersion(database);
      if (heldFor === undefined) forgetHolder(path);
      else noteHolder(path, heldFor);
      this.database = database;
      this.isRaised = this.version >= FORMAT_VERSION;
    } catch (thrown) {
      database?.close();
      throw toOpeningError(thrown, path);
    }
    if (this.version <= FORMAT_VERSION) return;
    this.release();
    throw new ReenactError(
      'unsupported',
      `The data directory has format version ${this.version}, this collector knows ${FORMAT_VERSION}.`,
      { where: path, next: 'Run the version of Reenact that wrote it, or a newer one.' },
    );
  }

  /**
   * Says that its files are those of this version, which no earlier program opens any more; durable when it returns. To be called before anything is
   * written that only this version can read. Throws ReenactError `store-failed`.
   */
  raiseVersion(): void {
    if (this.isRaised || !this.database.isOpen) return;
    try {
      this.database.prepare('INSERT INTO format_version VALUES (?)').run(FORMAT_VERSION);
      this.isRaised = true;
    } catch (thrown) {
      throw toStoreError(thrown, this.path);
    }
  }

  release(): void {
    if (!this.database.isOpen) return;
    forgetHolder(this.path);
    this.database.close();
  }
}

/**
 * Throws ReenactError `not-found` where a path has nothing of a store: opened, an empty one would be made of whatever folder was named by
 * mistake, and be checked and found good.
 */
export function needStore(path: string): void {
  if (!existsSync(path)) {
    throw new ReenactError('not-found', 'There is no data directory.', { where: path, next: 'Name it with --data.' });
  }
  const parts = [join(path, FORMAT_FILE), join(path, INDEX_FILE), logDirectoryOf(path), packDirectoryOf(path)];
  if (parts.some((part) => existsSync(part))) return;
  throw new ReenactError('not-found', 'This directory is no data directory: nothing of a store is in it.', {
    where: path,
    next: 'Name that of the collector with --data; a collector makes it at its first start.',
  });
}

/** A collector that nobody sees any more, as one whose starter is gone, is found by its number alone. */
function withHolder(error: ReenactError, path: string): ReenactError {
  const holder = lockHolderOf(join(path, FORMAT_FILE));
  if (holder === undefined) return error;
  const next = `Process ${holder} uses it: if that is a collector, \`kill ${holder}\` ends it in order. ${error.next ?? ''}`;
  const { code, message, retryable, cause } = error;
  return new ReenactError(code, message, { where: path, next, retryable, cause });
}

/** No index made again helps where this file is damaged. Beside a log it says nothing but the format, and is made again; by itself it may be all of a store. */
function toOpeningError(thrown: unknown, path: string): ReenactError {
  const error = toStoreError(thrown, path);
  if (error.message === DIRECTORY_IN_USE) return withHolder(error, path);
  if (!isDamagedDatabase(error)) return error;
  const next = existsSync(logDirectoryOf(path))
    ? `Move ${FORMAT_FILE}, ${FORMAT_FILE}-wal and ${FORMAT_FILE}-shm elsewhere: they say nothing but the format of the directory, and are made again.`
    : `Restore ${FORMAT_FILE} from a backup: it is all of a store of the first format.`;
  return new ReenactError(error.code, error.message, { where: join(path, FORMAT_FILE), next, cause: thrown });
}

function prepareVersion(database: DatabaseSync): number {
  database.exec('BEGIN EXCLUSIVE');
  const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'format_version'").get();
  if (table === undefined) {
    database.exec('CREATE TABLE format_version (version INTEGER NOT NULL)');
    database.prepare('INSERT INTO format_version VALUES (?)').run(FORMAT_VERSION);
  }
  const version = database.prepare('SELECT max(version) AS version FROM format_version').get()?.version;
  database.exec('COMMIT');
  return Number(version);
}

/** A directory entry is durable only when the directory above it is synced too. What is recorded is its owner's alone. */
function makeDirectory(directory: string): void {
  const first = makeDirectories(directory);
  if (first === undefined) return;
  const parent = openSync(dirname(first), 'r');
  fsyncSync(parent);
  closeSync(parent);
}
