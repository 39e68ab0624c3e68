// Whole, because Node.js before 22.15 has no zstd: a name that is not there would end an app that imports this, recorded or not.
import zlib from 'node:zlib';
import { REDACTED_COMPRESSED_BYTES_MAX, REDACTED_PACKED_PARTS_MAX, REDACTED_UNPACKED_BYTES_MAX } from '../../limits.ts';

/** What a decoder gives that is asked for itself, too: how much it has read of what it was given. */
interface Decoded {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

interface Coding {
  readonly unpack: (bytes: Uint8Array, options: { maxOutputLength: number; info: true }) => Buffer | Decoded;
  readonly pack: (bytes: Uint8Array) => Buffer;
}

const gzip: Coding = { unpack: zlib.gunzipSync, pack: zlib.gzipSync };

const codings: Readonly<Record<string, Coding>> = {
  gzip,
  'x-gzip': gzip,
  deflate: { unpack: zlib.inflateSync, pack: zlib.deflateSync },
  br: { unpack: zlib.brotliDecompressSync, pack: zlib.brotliCompressSync },
  zstd: { unpack: zlib.zstdDecompressSync, pack: zlib.zstdCompressSync },
};

/** What packed bytes begin with, for packings that have a beginning of their own (RFC 1952 and RFC 8878). */
const beginnings: readonly (readonly [beginning: Buffer, coding: string])[] = [
  [Buffer.from([0x1f, 0x8b, 0x08]), 'gzip'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'zstd'],
];

/** How many bytes at the beginning tell of a packing. */
export const PACKING_BEGINNING_BYTES = 4;

const SKIPPED_HEAD_BYTES = 8;
/** Three bytes after one of sixteen; what is in such a frame is no part of what was packed (RFC 8878, section 3.1.2). */
const skippedBeginning = Buffer.from([0x2a, 0x4d, 0x18]);

/** Where a frame of zstd ends that whoever unpacks is to skip; undefined where none begins. */
function skippedFrameEnd(bytes: Buffer): number | undefined {
  const isOne = bytes.length >= PACKING_BEGINNING_BYTES && bytes.subarray(1, 4).equals(skippedBeginning);
  if (!isOne || ((bytes[0] ?? 0) & 0xf0) !== 0x50) return undefined;
  return bytes.length < SKIPPED_HEAD_BYTES ? Number.POSITIVE_INFINITY : SKIPPED_HEAD_BYTES + bytes.readUInt32LE(4);
}

/** Such a frame: its content is any bytes. */
function skippedFrame(bytes: Buffer): UnpackedPart | undefined {
  const end = skippedFrameEnd(bytes) ?? Number.POSITIVE_INFINITY;
  if (end > bytes.length) return undefined;
  const pack = (content: Uint8Array): Buffer => {
    const head = Buffer.from(bytes.subarray(0, SKIPPED_HEAD_BYTES));
    head.writeUInt32LE(content.byteLength, PACKING_BEGINNING_BYTES);
    return Buffer.concat([head, content]);
  };
  return { content: bytes.subarray(SKIPPED_HEAD_BYTES, end), rest: bytes.subarray(end), pack };
}

/** How bytes are packed, as it is told of them or else as they begin; undefined where they are not. */
export function codingOf(bytes: Buffer, told: string): string | undefined {
  const coding = told.trim().toLowerCase();
  if (coding !== '' && coding !== 'identity') return coding;
  if (skippedFrameEnd(bytes) !== undefined) return 'zstd';
  return beginnings.find(([beginning]) => bytes.subarray(0, beginning.length).equals(beginning))?.[1];
}

/** Whether bytes say at their beginning that they are packed. */
export function beginPacked(bytes: Buffer): boolean {
  return codingOf(bytes, '') !== undefined;
}

/** Whether bytes that say so can be unpacked as they are. */
export function canUnpack(bytes: Buffer): boolean {
  const coding = codingOf(bytes, '');
  return coding !== undefined && new Unpacker().unpack(bytes, coding) !== undefined;
}

/** What was packed, and what stands behind it: padding, or more that is packed. */
export interface UnpackedPart {
  readonly content: Buffer;
  readonly rest: Buffer;
  /** Packs in the same way. */
  readonly pack: (bytes: Uint8Array) => Buffer;
}

/**
 * Unpacks what is packed in the same bytes, side by side and within each other. Its work is bounded for all of them together: who sends
 * them must not hold up the program.
 */
export class Unpacker {
  private partsLeft = REDACTED_PACKED_PARTS_MAX;
  private bytesLeft = REDACTED_UNPACKED_BYTES_MAX;

  /** Undefined where it is cut off, damaged, more than what is looked at, or packed in a way nobody here knows. */
  unpack(bytes: Buffer, coding: string): UnpackedPart | undefined {
    const known = codings[coding];
    if (known === undefined || bytes.byteLength > REDACTED_COMPRESSED_BYTES_MAX) return undefined;
    if (this.partsLeft === 0 || this.bytesLeft === 0) return undefined;
    this.partsLeft -= 1;
    if (coding === 'zstd' && skippedFrameEnd(bytes) !== undefined) return skippedFrame(bytes);
    try {
      const decoded = known.unpack(bytes, { maxOutputLength: this.bytesLeft, info: true });
      const content = 'engine' in decoded ? decoded.buffer : decoded;
      const readBytes = 'engine' in decoded ? decoded.engine.bytesWritten : bytes.length;
      this.bytesLeft -= content.length;
      return { content, rest: bytes.subarray(readBytes), pack: known.pack };
    } catch {
      // Nobody says how much was unpacked before it failed.
      this.bytesLeft = Math.floor(this.bytesLeft / 2);
      return undefined;
    }
  }
}
