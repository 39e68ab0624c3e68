import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
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

/** Lets go of what `mountSmallDisk` gave. */
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
