import { join } from 'node:path';
import type { Disk } from '../files/disk.ts';
import { FRAME_HEADER_BYTES, type Frame, findFrameStart, readFrame } from './frame.ts';
import { decodeSegmentHeader, FRAMES_START_BYTES, type LogHead } from './segment-header.ts';

const NUMBER_DIGITS = 12;

/** Folder of the log in a data directory. */
export function logDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'log');
}

/** Path of a segment. */
export function segmentPath(dataDirectory: string, segment: number): string {
  return join(logDirectoryOf(dataDirectory), `${String(segment).padStart(NUMBER_DIGITS, '0')}.log`);
}

/** Numbers of the segments there are, in order. */
export function listSegments(disk: Disk, dataDirectory: string): number[] {
  return disk.list(logDirectoryOf(dataDirectory)).flatMap((name) => {
    const [, digits] = /^(\d{12,})\.log$/.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/** Names of the settled segments that are kept to be written again. */
export function listFreeSegments(disk: Disk, dataDirectory: string): string[] {
  return disk.list(logDirectoryOf(dataDirectory)).filter((name) => name.startsWith('free-'));
}

/** Removes of these what is meant, durably, and gives the paths. */
export function removeFreeSegments(
  disk: Disk,
  dataDirectory: string,
  isMeant: (path: string) => boolean = () => true,
): string[] {
  const directory = logDirectoryOf(dataDirectory);
  const paths = listFreeSegments(disk, dataDirectory)
    .map((name) => join(directory, name))
    .filter(isMeant);
  for (const path of paths) disk.remove(path);
  if (paths.length > 0) disk.syncDirectory(directory);
  return paths;
}

/** A frame and where it lies. */
export interface PlacedFrame {
  readonly frame: Frame;
  readonly segment: number;
  readonly offset: number;
}

/** One segment's bytes, read whole. */
export interface ReadSegment {
  readonly segment: number;
  readonly head: LogHead | undefined;
  readonly bytes: Buffer;
}

/** Reads a segment into memory. */
export function readSegment(disk: Disk, dataDirectory: string, segment: number): ReadSegment {
  const file = disk.openRead(segmentPath(dataDirectory, segment));
  try {
    const bytes = disk.read(file, 0, disk.size(file));
    return { segment, head: decodeSegmentHeader(bytes, segment), bytes };
  } finally {
    disk.close(file);
  }
}

/**
 * Every frame of a segment that can still be read, also behind damage, in sequence from `firstSequence` on. What an
 * older life of the segment left has lower sequences and is passed over.
 */
export function* salvageFrames({ segment, bytes }: ReadSegment, firstSequence: number): Generator<PlacedFrame> {
  let sequence = firstSequence;
  for (let offset = findFrameStart(bytes, FRAMES_START_BYTES); offset >= 0; ) {
    const frame = readFrame(bytes.subarray(offset));
    const isNext = frame !== undefined && frame.sequence >= sequence;
    if (isNext) yield { frame, segment, offset };
    if (isNext) sequence = frame.sequence + 1;
    offset = findFrameStart(bytes, offset + (isNext ? frame.bytes : 1));
  }
}

/** The frames of a segment from an offset on, up to the first that does not lie there whole and in sequence. */
export function* framesOf(
  { segment, bytes }: ReadSegment,
  firstSequence: number,
  from = FRAMES_START_BYTES,
): Generator<PlacedFrame> {
  let offset = from;
  for (let sequence = firstSequence; offset + FRAME_HEADER_BYTES <= bytes.length; sequence += 1) {
    const frame = readFrame(bytes.subarray(offset));
    if (frame === undefined || frame.sequence !== sequence) return;
    yield { frame, segment, offset };
    offset += frame.bytes;
  }
}
