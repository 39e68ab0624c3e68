import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FRAME_TYPES, type FrameType, frameBytesAtMost, readFrames, writeFrame } from './spool-frame.ts';

const types = Object.keys(FRAME_TYPES) as FrameType[];
const content = fc.record({
  type: fc.constantFrom(...types),
  parts: fc.array(fc.string({ unit: 'grapheme', maxLength: 60, size: 'max' }), { maxLength: 6 }),
});

function write(frames: readonly { readonly type: FrameType; readonly parts: readonly string[] }[]): Buffer {
  const written = frames.map(({ type, parts }) => {
    const buffer = Buffer.alloc(frameBytesAtMost(parts));
    return buffer.subarray(0, writeFrame(buffer, type, parts));
  });
  return Buffer.concat(written);
}

describe('frames of the spool', () => {
  it('are read as they were written, and say where each begins', () => {
    fc.assert(
      fc.property(fc.array(content), (frames) => {
        const bytes = write(frames);
        const read = readFrames(bytes);
        expect(read.endBytes).toBe(bytes.length);
        expect(read.frames.map(({ type, parts }) => ({ type, parts }))).toEqual(frames);
        for (const { offset } of read.frames)
          expect(readFrames(bytes.subarray(offset)).endBytes).toBe(bytes.length - offset);
      }),
    );
  });

  it('cut anywhere give the whole ones before the cut and no other', () => {
    fc.assert(
      fc.property(fc.array(content, { minLength: 1 }), fc.nat(), (frames, at) => {
        const bytes = write(frames);
        const cut = at % bytes.length;
        const read = readFrames(bytes.subarray(0, cut));
        expect(read.frames.length).toBeLessThan(frames.length);
        expect(read.endBytes).toBeLessThanOrEqual(cut);
        expect(write(frames.slice(0, read.frames.length))).toHaveLength(read.endBytes);
      }),
    );
  });

  it('with any bit turned are not taken for whole', () => {
    fc.assert(
      fc.property(content, fc.nat(), fc.integer({ min: 0, max: 7 }), (frame, at, bit) => {
        const bytes = write([frame]);
        const place = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place);
        expect(readFrames(bytes).frames).toEqual([]);
      }),
    );
  });
});
