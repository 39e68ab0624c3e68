import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Bytes of a frame before its body. */
export const FRAME_HEADER_BYTES = 72;

const MAGIC = 0x31464e52;
const CHECKED_FROM = 12;
const LINK_AT = 40;

/** What a frame of the log holds. */
export type FrameKind = 'items' | 'erasure' | 'mark' | 'metrics';

const KINDS: readonly FrameKind[] = ['items', 'erasure', 'mark', 'metrics'];

/** Whether the body of such a frame is a batch. Metrics are kept only until they are sent on. */
export function holdsBatch(kind: FrameKind): boolean {
  return kind === 'items' || kind === 'metrics';
}

/** The fixed facts of a frame. */
export interface FrameHead {
  readonly kind: FrameKind;
  /** Counts frames from 1, without gaps. */
  readonly sequence: number;
  /** Id of its first item; of a frame without items, the id the next item will get. */
  readonly firstId: number;
  readonly receivedMs: number;
  /** Link of the chain after this frame. */
  readonly link: Buffer;
}

/** One frame as read. */
export interface Frame extends FrameHead {
  /** Bytes of the whole frame. */
  readonly bytes: number;
  readonly body: Buffer;
}

/** The 28 bytes of a head that the chain commits to. */
export function encodeHead({ kind, sequence, firstId, receivedMs }: Omit<FrameHead, 'link'>): Buffer {
  const head = Buffer.alloc(LINK_AT - CHECKED_FROM);
  head.writeUInt8(KINDS.indexOf(kind), 0);
  head.writeBigUInt64LE(BigInt(sequence), 4);
  head.writeBigUInt64LE(BigInt(firstId), 12);
  head.writeBigUInt64LE(BigInt(receivedMs), 20);
  return head;
}

/** Reads what `encodeHead` and a link behind it wrote. */
export function decodeHead(head: Buffer): FrameHead | undefined {
  const kind = KINDS[head.readUInt8(0)];
  if (kind === undefined) return undefined;
  return {
    kind,
    sequence: Number(head.readBigUInt64LE(4)),
    firstId: Number(head.readBigUInt64LE(12)),
    receivedMs: Number(head.readBigUInt64LE(20)),
    link: head.subarray(28, 60),
  };
}

/** The next link: SHA-256 of the previous one, the frame's fixed facts and its content digest. */
export function nextLink(previous: Uint8Array, head: Omit<FrameHead, 'link'>, contentDigest: Uint8Array): Buffer {
  return createHash('sha256').update(previous).update(encodeHead(head)).update(contentDigest).digest();
}

/** Fills in the header of a frame whose body lies behind `FRAME_HEADER_BYTES` of headroom. */
export function sealFrame(frame: Buffer, head: FrameHead): void {
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt32LE(frame.length, 4);
  frame.set(encodeHead(head), CHECKED_FROM);
  frame.set(head.link, LINK_AT);
  frame.writeUInt32LE(crc32(frame.subarray(CHECKED_FROM)), 8);
}

/** Reads the frame at the start of these bytes; undefined when none lies there whole and undamaged. */
export function readFrame(buffer: Buffer): Frame | undefined {
  if (buffer.length < FRAME_HEADER_BYTES || buffer.readUInt32LE(0) !== MAGIC) return undefined;
  const bytes = buffer.readUInt32LE(4);
  if (bytes < FRAME_HEADER_BYTES || bytes > buffer.length) return undefined;
  if (crc32(buffer.subarray(CHECKED_FROM, bytes)) !== buffer.readUInt32LE(8)) return undefined;
  const head = decodeHead(buffer.subarray(CHECKED_FROM, FRAME_HEADER_BYTES));
  return head === undefined ? undefined : { ...head, bytes, body: buffer.subarray(FRAME_HEADER_BYTES, bytes) };
}

/** Position of the next bytes that could start a frame, or -1. */
export function findFrameStart(buffer: Buffer, from: number): number {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  return buffer.indexOf(magic, from);
}
