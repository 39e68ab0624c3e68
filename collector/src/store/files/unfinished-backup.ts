import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { systemDisk } from './disk.ts';

/** A file of a backup for as long as it is being made. */
const UNFINISHED_FILE = 'backup-unfinished';

/** Says of a directory that it is a backup which is not whole yet. */
export function markUnfinished(directory: string): void {
  writeFileSync(join(directory, UNFINISHED_FILE), '', { mode: 0o600 });
  systemDisk.syncDirectory(directory);
}

/** Says that everything is in it, and durable. */
export function markFinished(directory: string): void {
  rmSync(join(directory, UNFINISHED_FILE));
  systemDisk.syncDirectory(directory);
}

/**
 * Throws ReenactError `store-failed` where a directory is a backup that was broken off, as by a collector that was killed: with an index and little else
 * it would be taken for a whole store of nothing, checked and found good, and served.
 */
export function refuseUnfinished(directory: string): void {
  if (!existsSync(join(directory, UNFINISHED_FILE))) return;
  throw new ReenactError('store-failed', 'This is a backup that was broken off before it was whole.', {
    where: directory,
    next: 'Remove it, and make another with `reenact store backup`.',
  });
}
