import { crc32 } from 'node:zlib';

/** Where the first frame of a segment lies. */
export const FRAMES_START_BYTES = 128;

const MAGIC = 0x47534e52;
const VERSION = 1;
const HEADER_BYTES = 68;

/** What must come next in the log. */
export interface LogHead {
  /** Sequence of the next frame. */
  readonly sequence: number;
  /** Id of the next item. */
  readonly nextId: number;
  /** Link of the chain so far. */
  readonly link: Buffer;
}

/** The state of a log that has never held anything. */
export function emptyLogHead(): LogHead {
  return { sequence: 1, nextId: 1, link: Buffer.alloc(32) };
}

/** The first bytes of a segment: its number and what the log held before it. */
export function encodeSegmentHeader(segment: number, { sequence, nextId, link }: LogHead): Buffer {
  const header = Buffer.alloc(FRAMES_START_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(VERSION, 4);
  header.writeBigUInt64LE(BigInt(segment), 8);
  header.writeBigUInt64LE(BigInt(sequence), 16);
  header.writeBigUInt64LE(BigInt(nextId), 24);
  header.set(link, 32);
  header.writeUInt32LE(crc32(header.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
  return header;
}

/** Reads a segment's header; undefined when these bytes are none, or of another segment. */
export function decodeSegmentHeader(header: Buffer, segment: number): LogHead | undefined {
  if (header.length < HEADER_BYTES || header.readUInt32LE(0) !== MAGIC || header.readUInt32LE(4) !== VERSION) {
    return undefined;
  }
  if (crc32(header.subarray(0, HEADER_BYTES - 4)) !== header.readUInt32LE(HEADER_BYTES - 4)) return undefined;
  if (Number(header.readBigUInt64LE(8)) !== segment) return undefined;
  return {
    sequence: Number(header.readBigUInt64LE(16)),
    nextId: Number(header.readBigUInt64LE(24)),
    link: Buffer.from(header.subarray(32, 64)),
  };
}
