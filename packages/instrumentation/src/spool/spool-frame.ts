import { crc32 } from 'node:zlib';

/**
 * What a frame says. `resource`: who made the spans after it. `pending`: a crossing that had started. `ended`: a crossing
 * with its outcome. `span`: one that is no crossing. `settled`: frames of this file that need no delivery any more.
 */
export const FRAME_TYPES = { resource: 1, pending: 2, ended: 3, span: 4, settled: 5 } as const;

/** The name of one type of frame. */
export type FrameType = keyof typeof FRAME_TYPES;

/** One frame as it was read. Its parts are texts; which means what is the matter of its type. */
export interface Frame {
  readonly type: FrameType;
  /** Where it begins in its file: its name there. */
  readonly offset: number;
  readonly parts: readonly string[];
}

/** `RSP` and the version of the format: a reader stops at what it does not know. */
const MAGIC = 0x31505352;

/** Magic, type, number of bytes that follow, and the CRC-32 of type, length and what follows. */
const HEAD_BYTES = 16;

/** UTF-8 takes at most three bytes for one UTF-16 code unit. */
const UTF8_BYTES_PER_CHARACTER_MAX = 3;

const nameOfType = new Map<number, FrameType>(
  Object.entries(FRAME_TYPES).map(([name, number]) => [number, name as FrameType]),
);

/** How many characters the parts of a frame have. */
export function charactersOf(parts: readonly string[]): number {
  let characters = 0;
  for (const part of parts) characters += part.length;
  return characters;
}

/** How many bytes a frame of these parts takes at most. */
export function frameBytesAtMost(parts: readonly string[]): number {
  return HEAD_BYTES + 4 + 4 * parts.length + charactersOf(parts) * UTF8_BYTES_PER_CHARACTER_MAX;
}

/** Writes one frame at the beginning of a buffer that is large enough (`frameBytesAtMost`). Returns its bytes. */
export function writeFrame(buffer: Buffer, type: FrameType, parts: readonly string[]): number {
  const tableOffset = HEAD_BYTES + 4;
  let offset = tableOffset + 4 * parts.length;
  for (let index = 0; index < parts.length; index += 1) {
    const bytes = buffer.write(parts[index] ?? '', offset, 'utf8');
    buffer.writeUInt32LE(bytes, tableOffset + 4 * index);
    offset += bytes;
  }
  buffer.writeUInt32LE(parts.length, HEAD_BYTES);
  buffer.writeUInt32LE(MAGIC, 0);
  buffer.writeUInt32LE(FRAME_TYPES[type], 4);
  buffer.writeUInt32LE(offset - HEAD_BYTES, 8);
  buffer.writeUInt32LE(checksum(buffer, 0, offset), 12);
  return offset;
}

function checksum(buffer: Buffer, start: number, end: number): number {
  return crc32(buffer.subarray(start + HEAD_BYTES, end), crc32(buffer.subarray(start + 4, start + 12)));
}

/** The frame that begins at an offset; undefined where there is none that is whole. */
export function readFrame(buffer: Buffer, offset: number): { frame: Frame; end: number } | undefined {
  if (offset + HEAD_BYTES + 4 > buffer.length || buffer.readUInt32LE(offset) !== MAGIC) return undefined;
  const type = nameOfType.get(buffer.readUInt32LE(offset + 4));
  const end = offset + HEAD_BYTES + buffer.readUInt32LE(offset + 8);
  if (type === undefined || end > buffer.length) return undefined;
  if (buffer.readUInt32LE(offset + 12) !== checksum(buffer, offset, end)) return undefined;
  const parts = readParts(buffer, offset + HEAD_BYTES, end);
  return parts === undefined ? undefined : { frame: { type, offset, parts }, end };
}

function readParts(buffer: Buffer, start: number, end: number): string[] | undefined {
  const count = buffer.readUInt32LE(start);
  let offset = start + 4 + 4 * count;
  if (offset > end) return undefined;
  const parts: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const next = offset + buffer.readUInt32LE(start + 4 + 4 * index);
    if (next > end) return undefined;
    parts.push(buffer.toString('utf8', offset, next));
    offset = next;
  }
  return parts;
}

/** The whole frames from the beginning of a file on. `endBytes`: where the first torn or damaged one would begin. */
export function readFrames(buffer: Buffer): { readonly frames: Frame[]; readonly endBytes: number } {
  const frames: Frame[] = [];
  let offset = 0;
  for (let read = readFrame(buffer, 0); read !== undefined; read = readFrame(buffer, offset)) {
    frames.push(read.frame);
    offset = read.end;
  }
  return { frames, endBytes: offset };
}
