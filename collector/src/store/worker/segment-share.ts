import { DISK_RESERVE_SHARE_MAX, SEGMENT_BYTES, SEGMENT_FIRST_BYTES } from '../limits.ts';

/** How many times what settles in one go fits into what requests leave free: its pack is written before its segments go, and the index grows with it. */
const ROOM_TIMES = 3;

/**
 * Which part of their usual size segments and what is settled in one go have. On a small disk less than by memory: what cannot be compressed takes as much
 * once more while it settles, and a disk with less room than that for one segment would be full for ever. `totalBytes` of the disk are 0 where nobody knows.
 */
export function segmentShare(memoryShare: number, totalBytes: number): number {
  if (totalBytes === 0) return memoryShare;
  const bytesMax = Math.max(SEGMENT_FIRST_BYTES, (totalBytes * DISK_RESERVE_SHARE_MAX) / ROOM_TIMES);
  return Math.min(memoryShare, bytesMax / SEGMENT_BYTES);
}
