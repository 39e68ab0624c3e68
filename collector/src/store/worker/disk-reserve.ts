import { ReenactError } from '@reenact/trace-model/reenact-error';
import type { Disk } from '../files/disk.ts';
import { DISK_RESERVE_SHARE_MAX } from '../limits.ts';
import { displacedDirectory } from '../store-error.ts';

/**
 * Keeps some of the disk for the store's own work. Settling and deletions make room and need some for it: a store that takes
 * requests until nothing is left could do neither, and would stay full.
 */
export class DiskReserve {
  private readonly disk: Disk;
  private readonly directory: string;
  private readonly bytes: number;

  /** `bytes` is what is kept, but at most `DISK_RESERVE_SHARE_MAX` of the disk. */
  constructor(disk: Disk, directory: string, bytes: number) {
    this.disk = disk;
    this.directory = directory;
    this.bytes = bytes;
  }

  /** Whether less than the reserve would be left once so many more bytes are used. */
  isTouchedBy(bytes: number): boolean {
    const { freeBytes, totalBytes } = this.space();
    // Some file systems in user space do not say how large they are: nobody knows that such a one is full.
    if (totalBytes === 0) return false;
    return freeBytes - bytes < Math.min(this.bytes, totalBytes * DISK_RESERVE_SHARE_MAX);
  }

  private space(): ReturnType<Disk['space']> {
    try {
      return this.disk.space(this.directory);
    } catch (thrown) {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')
        throw displacedDirectory(this.directory);
      throw thrown;
    }
  }

  /** What a request is told that would use it. */
  refusal(): ReenactError {
    return new ReenactError(
      'store-failed',
      'The disk of the data directory is full, but for what settling and deletions need.',
      {
        where: this.directory,
        next: 'Free some space, delete runs with `reenact store delete`, or let retention.bytesMax thin out old ones; nothing acknowledged is lost.',
        retryable: true,
      },
    );
  }
}
