import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DISK_MEBIBYTES = 12;

/** A small file system of its own; undefined where this user may not mount one. */
export function mountSmallDisk(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'reenact-small-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MEBIBYTES}m`, 'tmpfs', place], { stdio: 'ignore' });
    return place;
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  }
}

const EXT4_MEBIBYTES = 40;

/** A small file system of ext4, whose blocks are smaller than a page; undefined where this user or machine has none. */
export function mountSmallBlocks(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'reenact-small-blocks-'));
  const image = `${place}.img`;
  try {
    writeFileSync(image, '');
    truncateSync(image, EXT4_MEBIBYTES * 1024 * 1024);
    execFileSync('mkfs.ext4', ['-q', '-F', '-b', '1024', image], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop', image, place], { stdio: 'ignore' });
    return place;
  } catch {
    rmSync(place, { recursive: true });
    return undefined;
  } finally {
    // The mount has it open for as long as it is there.
    rmSync(image, { force: true });
  }
}

/** Writes what is left of a disk, to the last byte, or until no more than so many are left. */
export function takeAllOf(place: string, leftBytes = 0): void {
  if (leftBytes > 0) {
    const { bavail, bsize } = statfsSync(place);
    appendFileSync(join(place, 'other'), Buffer.alloc(Math.max(0, bavail * bsize - leftBytes), 1));
    return;
  }
  const file = openSync(join(place, 'other'), 'a');
  for (const bytes of [65_536, 4096, 1]) {
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes, 1));
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown;
    }
  }
  closeSync(file);
}

/** Lets go of what one of these gave. */
export function unmount(place: string): void {
  execFileSync('umount', ['-l', place]);
  rmSync(place, { recursive: true });
}

/** Whether this user may mount file systems. */
export const canMount = (() => {
  const place = mountSmallDisk();
  if (place !== undefined) unmount(place);
  return place !== undefined;
})();

/** Whether there can be file systems of small blocks. */
export const hasSmallBlocks = (() => {
  const place = mountSmallBlocks();
  if (place !== undefined) unmount(place);
  return place !== undefined;
})();
