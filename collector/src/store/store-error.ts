import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CORRUPT = 11;
const SQLITE_NOT_A_DATABASE = 26;
/** An extended code: memory that connections share could not be made longer, for which a file is. */
const SQLITE_IOERR_SHMSIZE = 4874;

/** The primary SQLite result code of an error of node:sqlite; undefined for any other error. */
function resultCode(thrown: unknown): number | undefined {
  const code: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'errcode') : undefined;
  return typeof code === 'number' ? code & 0xff : undefined;
}

/** Whether this says that a database is not as it was written: its file damaged, or a table gone. */
export function isDamagedDatabase(thrown: unknown): boolean {
  const code = resultCode(isReenactError(thrown) ? thrown.cause : thrown);
  return code === SQLITE_ERROR || code === SQLITE_CORRUPT || code === SQLITE_NOT_A_DATABASE;
}

/** What SQLite itself would throw, where what a database says cannot be what was written to it. */
export function damagedIndex(what: string): Error {
  return Object.assign(new Error(`the index is not as it was written, ${what}`), { errcode: SQLITE_CORRUPT });
}

/** Whether this says that a database could not be read, as from a disk that fails, which does not make it a damaged one. */
export function isFailedRead(thrown: unknown): boolean {
  return resultCode(thrown) !== undefined && !isDamagedDatabase(thrown);
}

/** Whether this says that another process has a database for itself. */
export function isBusyDatabase(thrown: unknown): boolean {
  const code = resultCode(thrown);
  return code === SQLITE_BUSY || code === SQLITE_LOCKED;
}

/** Whether this says that a disk is full, also where it came from another thread, without its cause. */
export function isFullDisk(thrown: unknown): boolean {
  if (isReenactError(thrown) && thrown.message === FULL.message) return true;
  const cause = isReenactError(thrown) ? thrown.cause : thrown;
  return adviseOnFiles(cause) === FULL || adviseOnDatabase(cause) === FULL;
}

/** Whether this may be for ever, and of one place only: a sector that cannot be read, or an index that is damaged there. */
export function mayStayUnread(thrown: unknown): boolean {
  const cause = isReenactError(thrown) ? thrown.cause : thrown;
  if (isFullDisk(cause)) return false;
  const isFailing = typeof cause === 'object' && cause !== null && Reflect.get(cause, 'code') === 'EIO';
  return isFailing || resultCode(cause) === SQLITE_IOERR || isDamagedDatabase(cause);
}

function lacksSharedMemory(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && Reflect.get(thrown, 'errcode') === SQLITE_IOERR_SHMSIZE;
}

const FULL = {
  message: 'The disk of the data directory is full.',
  next: 'Free some space: with a few MiB `reenact store delete` makes more; nothing acknowledged is lost. Where nothing else can go, stop the collector and remove search.sqlite, search.sqlite-wal and search.sqlite-shm of the data directory: they are made again.',
};

/** What a store says whose directory another process has: that one may be asked instead. */
export const DIRECTORY_IN_USE = 'Another process uses this data directory.';

const READ_ONLY_NEXT =
  'Make its disk writable again (systems make one read-only after errors of it: see their log), or name another with --data; nothing acknowledged is lost.';

const TOO_MANY_OPEN_NEXT =
  'Let the collector have more open at one time (LimitNOFILE= of its systemd unit, `ulimit -n`): each connection of a sender is one, and some fifty are its own; nothing acknowledged is lost.';

const FAILING_NEXT =
  'Look for errors of the disk in the log of the system (dmesg); nothing acknowledged is lost so far.';

/** SQLite says the same of a sector that cannot be read, and to find out which it is takes reading the file through. */
const FAILING_FIRST =
  'Look for errors of the disk in the log of the system (dmesg): what a disk does not give counts as damaged, too, and may come back. Without any:';

const REBUILD_NEXT =
  'Stop the collector and run `reenact store verify --rebuild-index --data <directory>`: it is made again from what was received.';

function damaged(thrown: unknown): string {
  return `A database in the data directory is damaged: ${reasonOf(thrown)}.`;
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What an error of the file system means; undefined for any other error. */
function adviseOnFiles(thrown: unknown): { message: string; next: string } | undefined {
  switch (typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'code') : undefined) {
    case 'ENOSPC':
    case 'EDQUOT':
      return FULL;
    case 'EROFS':
      return { message: `The data directory is read-only: ${reasonOf(thrown)}.`, next: READ_ONLY_NEXT };
    case 'EMFILE':
    case 'ENFILE':
      return { message: `Too many files and connections are open: ${reasonOf(thrown)}.`, next: TOO_MANY_OPEN_NEXT };
    case 'EIO':
      return { message: `The disk of the data directory fails: ${reasonOf(thrown)}.`, next: FAILING_NEXT };
  }
  return undefined;
}

function adviseOnDatabase(thrown: unknown): { message: string; next: string } | undefined {
  if (lacksSharedMemory(thrown)) return FULL;
  switch (resultCode(thrown)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {
        message: DIRECTORY_IN_USE,
        next: 'Stop the other collector, or give this one its own directory with --data. Where there is no other, its file system grants no locks, as one of a network without their service: take a local disk.',
      };
    case SQLITE_FULL:
      return FULL;
    case SQLITE_READONLY:
      return { message: `The data directory is read-only: ${reasonOf(thrown)}.`, next: READ_ONLY_NEXT };
    case SQLITE_IOERR:
      return { message: `The disk of the data directory fails: ${reasonOf(thrown)}.`, next: FAILING_NEXT };
    case SQLITE_CORRUPT:
      return { message: damaged(thrown), next: `${FAILING_FIRST} ${REBUILD_NEXT}` };
    case SQLITE_ERROR:
    case SQLITE_NOT_A_DATABASE:
      return { message: damaged(thrown), next: REBUILD_NEXT };
  }
  return undefined;
}

function advise(thrown: unknown): { message: string; next: string } {
  return (
    adviseOnFiles(thrown) ??
    adviseOnDatabase(thrown) ?? {
      message: `The data directory cannot be used: ${reasonOf(thrown)}.`,
      next: 'Check that it is a directory this user may write to and that its disk has space, or name another with --data.',
    }
  );
}

const DAMAGE = /stored telemetry is damaged\.$/i;

/** How damage is told. */
interface Damage {
  readonly what?: 'Stored telemetry' | 'A block of stored telemetry';
  readonly where?: string;
  /** What to do beside asking `reenact store verify`. */
  readonly andThen?: string;
  readonly cause?: unknown;
}

/** What is told of something stored that is not as it was written, or not there. */
export function damagedTelemetry({ what = 'Stored telemetry', andThen = '', ...details }: Damage): ReenactError {
  const next = `Run \`reenact store verify --data <directory>\` to see what is affected${andThen}.`;
  return new ReenactError('store-failed', `${what} is damaged.`, { next, ...details });
}

/** Whether this is what `damagedTelemetry` made: reading it again changes nothing. */
export function isDamagedTelemetry(thrown: unknown): thrown is ReenactError {
  return isReenactError(thrown) && thrown.code === 'store-failed' && DAMAGE.test(thrown.message);
}

/** What is told where the data directory, or a folder of it, is not where it was while it is in use. It may come back, with all that is in it. */
export function displacedDirectory(where: string): ReenactError {
  return new ReenactError('store-failed', 'The data directory was removed or moved while it is in use.', {
    where,
    next: 'Put the data directory back where it was, and requests are taken again; or stop the collector and start it on a directory that nobody else changes.',
    retryable: true,
  });
}

/** What is told of a disk that is full, or as good as. */
export function fullDisk(where: string): ReenactError {
  return new ReenactError('store-failed', FULL.message, { where, next: FULL.next, retryable: true });
}

/** What an error of the database or file system means for whoever runs the collector: ReenactError `store-failed`. */
export function toStoreError(thrown: unknown, where: string): ReenactError {
  if (isReenactError(thrown)) return thrown;
  const { message, next } = advise(thrown);
  return new ReenactError('store-failed', message, { where, next, retryable: true, cause: thrown });
}
