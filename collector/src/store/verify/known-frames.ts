import { readFrame } from '../log/frame.ts';
import { framesOf, type PlacedFrame, type ReadSegment } from '../log/segment-files.ts';
import { FRAMES_START_BYTES } from '../log/segment-header.ts';

/**
 * The frames of a segment as far as one lies behind the other, and of what is behind damage those that the index knows: what an older life of the segment
 * has left it does not. `known`: where they lie, in order. Tells once where each damage begins.
 */
export function* knownFrames(
  read: ReadSegment,
  firstSequence: number,
  known: readonly number[],
  onDamage: (offset: number) => void,
): Generator<PlacedFrame> {
  let end = FRAMES_START_BYTES;
  let sequence = firstSequence;
  for (const placed of framesOf(read, firstSequence)) {
    yield placed;
    end = placed.offset + placed.frame.bytes;
    sequence = placed.frame.sequence + 1;
  }
  let toldEnd: number | undefined;
  for (const offset of known) {
    if (offset < end) continue;
    const frame = readFrame(read.bytes.subarray(offset));
    const isLost = frame === undefined || frame.sequence < sequence;
    if ((isLost || offset !== end) && toldEnd !== end) {
      onDamage(end);
      toldEnd = end;
    }
    if (isLost) continue;
    yield { frame, segment: read.segment, offset };
    end = offset + frame.bytes;
    sequence = frame.sequence + 1;
  }
}
