import { expect, it } from 'vitest';
import { DiskReserve } from '../worker/disk-reserve.ts';
import { systemDisk } from './disk.ts';
import { needRoomForSharedMemory } from './shared-memory-room.ts';

const SMALL_BLOCK_BYTES = 512;

it('refuses a full disk of small blocks, and one that has little left', () => {
  for (const bavail of [0, 100]) {
    const statfs = () => ({ bavail, blocks: 20_000, bsize: SMALL_BLOCK_BYTES });
    expect(() => needRoomForSharedMemory('/data', statfs)).toThrow('The disk of the data directory is full.');
  }
});

it('takes no file system for full that does not say how large it is', () => {
  needRoomForSharedMemory('/data', () => ({ bavail: 0, blocks: 0, bsize: SMALL_BLOCK_BYTES }));
  const disk = { ...systemDisk, space: () => ({ freeBytes: 0, totalBytes: 0 }) };
  expect(new DiskReserve(disk, '/data', 1024).isTouchedBy(1)).toBe(false);
});
