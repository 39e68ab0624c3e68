import { accessSync, constants } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

/** Where SQLite looks for a folder for files of a moment, as of a large sort: the first that it may write to. */
function foldersOfSystem({ SQLITE_TMPDIR, TMPDIR }: NodeJS.ProcessEnv): string[] {
  return [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp', '.'].filter((folder) => folder !== undefined);
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether SQLite has nowhere to put files of a moment, as in a container whose file system is read-only but for its volumes. */
export function lacksTemporaryFolder(environment: NodeJS.ProcessEnv, canWrite = isWritable): boolean {
  return !foldersOfSystem(environment).some(canWrite);
}

/** Lets SQLite put its files of a moment into the data directory where it has no other place: it would call that an error of the disk. For the whole process. */
export function needTemporaryFolder(database: DatabaseSync, directory: string): void {
  if (process.platform === 'win32' || !lacksTemporaryFolder(process.env)) return;
  database.exec(`PRAGMA temp_store_directory = '${directory.replaceAll("'", "''")}'`);
}
