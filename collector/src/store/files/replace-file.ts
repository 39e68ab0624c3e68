import { join } from 'node:path';
import type { Disk } from './disk.ts';

/** Writes a file of a directory anew, durably: after a crash it is as it was before, or all of it is new. */
export function replaceFile(disk: Disk, directory: string, name: string, buffers: readonly Uint8Array[]): void {
  const unfinished = join(directory, `${name}.part`);
  const file = disk.open(unfinished);
  try {
    disk.truncate(file, 0);
    disk.write(file, buffers, 0);
    disk.sync(file, true);
  } finally {
    disk.close(file);
  }
  disk.rename(unfinished, join(directory, name));
  disk.syncDirectory(directory);
}

/** The whole content of a file. */
export function readWhole(disk: Disk, path: string): Buffer {
  const file = disk.openRead(path);
  try {
    return disk.read(file, 0, disk.size(file));
  } finally {
    disk.close(file);
  }
}
