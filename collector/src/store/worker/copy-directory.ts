import { constants, copyFileSync, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FORMAT_FILE, RETENTION_COPY_FILE, RETENTION_TIME_FILE } from '../data-directory.ts';
import { FORMAT_VERSION, INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { makeDirectories } from '../files/make-directories.ts';
import { makePrivateFile } from '../files/private-file.ts';
import { markFinished, markUnfinished } from '../files/unfinished-backup.ts';
import { openIndexForReading } from '../index/open-index.ts';
import { searchPathOf } from '../search/open-search-file.ts';
import type { ThreadAccess } from '../store.ts';
import { QUEUE_FLOORS_FILE } from './queue-floors.ts';

const FOLDERS = ['packs', 'chain', 'log'];

/**
 * Copies a data directory while it is written to; durable when it returns. The index goes first: the search file and the log, copied
 * after it, then hold at least what the index knows, and opening the copy reads the rest.
 */
export function copyDirectory({ dataDirectory, memoryShare }: ThreadAccess, target: string, keepsText: boolean): void {
  makeDirectories(target);
  markUnfinished(target);
  const database = openIndexForReading(dataDirectory, memoryShare);
  try {
    database.prepare('VACUUM INTO ?').run(makePrivateFile(join(target, INDEX_FILE)));
    if (keepsText) {
      database.prepare('ATTACH ? AS text').run(searchPathOf(dataDirectory));
      database.prepare('VACUUM text INTO ?').run(makePrivateFile(searchPathOf(target)));
    }
  } finally {
    database.close();
  }
  for (const folder of FOLDERS) copyFolder(join(dataDirectory, folder), join(target, folder));
  for (const name of [QUEUE_FLOORS_FILE, RETENTION_TIME_FILE, RETENTION_COPY_FILE]) {
    if (existsSync(join(dataDirectory, name))) copyFileSync(join(dataDirectory, name), join(target, name));
  }
  const format = new DatabaseSync(makePrivateFile(join(target, FORMAT_FILE)));
  format.exec('CREATE TABLE format_version (version INTEGER NOT NULL)');
  format.prepare('INSERT INTO format_version VALUES (?)').run(FORMAT_VERSION);
  format.close();
  for (const folder of FOLDERS) syncAll(join(target, folder));
  syncAll(target);
  markFinished(target);
}

function copyFolder(from: string, to: string): void {
  makeDirectories(to);
  // A folder where a pack belongs fails: a copy without what was there would pass for whole.
  for (const name of existsSync(from) ? readdirSync(from) : []) {
    if (name.endsWith('.part') || name.startsWith('free-')) continue;
    copyFileSync(join(from, name), join(to, name), constants.COPYFILE_FICLONE);
  }
}

function syncAll(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = systemDisk.open(join(directory, basename(entry.name)));
    systemDisk.sync(file, true);
    systemDisk.close(file);
  }
  systemDisk.syncDirectory(directory);
}
