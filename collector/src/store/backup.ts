import { existsSync, realpathSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import { WorkerLink } from '../threads/worker-link.ts';
import { systemDisk } from './files/disk.ts';
import type { ThreadAccess } from './store.ts';
import { toBackupError } from './to-backup-error.ts';
import type { BackupCalls } from './worker/calls.ts';

const workerFolder = new URL('./worker/', import.meta.url);

/** Copies a data directory while it is written to, on a thread of its own: a copy takes as long as its disk, and requests wait for none. */
export class Backups {
  private readonly access: ThreadAccess;
  private readonly keepsText: boolean;
  private thread: WorkerLink<BackupCalls> | undefined;

  constructor(access: ThreadAccess, keepsText: boolean) {
    this.access = access;
    this.keepsText = keepsText;
  }

  /**
   * Resolves when the copy is durable. It has its name only then, so that nobody takes the first half of one for a backup. Nothing may be
   * removed or written over meanwhile. Throws ReenactError `bad-argument` where the place cannot be used, else `store-failed`.
   */
  async write(directory: string): Promise<void> {
    const target = resolve(directory);
    const part = `${target}.part`;
    this.refuse(target, part);
    this.thread = new WorkerLink<BackupCalls>(workerFolder, 'backup-worker', this.access);
    try {
      await this.thread.started();
      await this.thread.call('copy', { target: part, keepsText: this.keepsText });
      renameSync(part, target);
      systemDisk.syncDirectory(dirname(target));
    } catch (thrown) {
      await rm(part, { recursive: true, force: true }).catch(() => undefined);
      throw isReenactError(thrown) ? thrown : toBackupError(thrown, target);
    } finally {
      await this.stop();
    }
  }

  /** Breaks off what is being copied. */
  async stop(): Promise<void> {
    const { thread } = this;
    this.thread = undefined;
    await thread?.stop();
  }

  private refuse(target: string, part: string): void {
    const refusal = (message: string, next: string): ReenactError =>
      new ReenactError('bad-argument', message, { where: target, next });
    const another = 'Name a directory that does not exist yet.';
    if (existsSync(target)) throw refusal('There is something at the place of the backup already.', another);
    if (existsSync(part)) {
      throw refusal('An earlier backup to this place was broken off.', `Remove ${part}, or name another directory.`);
    }
    // There it would count for what retention keeps below a size, and be gone with what it is a copy of.
    if (`${realPathOf(target)}${sep}`.startsWith(`${realpathSync(this.access.dataDirectory)}${sep}`)) {
      throw refusal('The backup would lie in the data directory itself.', 'Name one beside it, best on another disk.');
    }
  }
}

/** Where a path leads to, of which the end may not be there yet. */
function realPathOf(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(realPathOf(dirname(path)), basename(path));
}
