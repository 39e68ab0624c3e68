import { describe, expect, it } from 'vitest';
import { SEGMENT_BYTES } from '../limits.ts';
import { segmentShare } from './segment-share.ts';

const MEBIBYTE = 1024 * 1024;

describe('the size of segments', () => {
  it.each([
    ['a large disk', 1, 100_000, 32],
    ['a disk of unknown size', 1, 0, 32],
    ['a large disk and little memory', 0.25, 100_000, 8],
    ['a small disk', 1, 60, 4],
    ['a small disk and little memory', 0.25, 60, 4],
    ['a disk on which nothing fits', 1, 4, 1],
  ])('on %s', (_, memoryShare, diskMebibytes, expected) => {
    const bytes = SEGMENT_BYTES * segmentShare(memoryShare, diskMebibytes * MEBIBYTE);
    expect(bytes / MEBIBYTE).toBeCloseTo(expected, 6);
  });
});
