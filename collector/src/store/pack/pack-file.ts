import { join } from 'node:path';
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { freeMemory } from '../../memory/free-memory.ts';
import type { Disk } from '../files/disk.ts';
import { damagedTelemetry } from '../store-error.ts';

const PACK_MAGIC = 0x4b504e52;
const RECORD_MAGIC = 0x4c424e52;
/** As it stands in the file. */
const RECORD_MARK = Buffer.from(Uint32Array.of(RECORD_MAGIC).buffer);
const VERSION = 1;
const PACK_HEADER_BYTES = 16;
const RECORD_HEADER_BYTES = 24;
const BLOCKS_PER_PACK_BITS = 20;
/** Ids that a pack has for its blocks. */
export const BLOCKS_PER_PACK_MAX = 2 ** BLOCKS_PER_PACK_BITS;
const TYPES = ['dictionary', 'block'] as const;

/** Blocks up to this size are inflated in one piece, and not in many that are put together. */
const INFLATED_PIECE_BYTES_MAX = 16 * 1024 * 1024;

/** Bytes of one piece of what is compressed: most blocks become one. */
const COMPRESSED_PIECE_BYTES = 256 * 1024;

/** Where a block lies, and the id by which the index names it: its pack's number and its place in it. */
export interface BlockPlace {
  readonly block: number;
  readonly offset: number;
  /** Of the whole record. */
  readonly bytes: number;
  readonly rawBytes: number;
}

/** Folder of the packs in a data directory. */
export function packDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'packs');
}

/** Path of a pack. */
export function packPath(dataDirectory: string, pack: number): string {
  return join(packDirectoryOf(dataDirectory), `${String(pack).padStart(12, '0')}.pack`);
}

/** The pack a block is in. */
export function packOf(block: number): number {
  return Math.floor(block / BLOCKS_PER_PACK_MAX);
}

/** Numbers of the packs there are, in order. */
export function listPacks(disk: Disk, dataDirectory: string): number[] {
  return disk.list(packDirectoryOf(dataDirectory)).flatMap((name) => {
    const [, digits] = /^(\d{12,})\.pack$/.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
}

/** How the blocks of a pack are compressed. */
export interface Compression {
  readonly dictionary: Buffer | undefined;
  readonly level: number;
  /** Noted in the pack, so that an index that is made again knows what is to be compressed better. */
  readonly isHurried: boolean;
}

function compress(raw: Uint8Array, { dictionary, level }: Omit<Compression, 'isHurried'>): Buffer {
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_windowLog]: 23,
    [constants.ZSTD_c_enableLongDistanceMatching]: raw.length > 1024 * 1024 ? 1 : 0,
  };
  const options = dictionary === undefined ? { params } : { params, dictionary };
  return zstdCompressSync(raw, { ...options, pledgedSrcSize: raw.length, chunkSize: COMPRESSED_PIECE_BYTES });
}

function decompress(data: Uint8Array, rawBytes: number, dictionary: Buffer | undefined): Buffer {
  // With room to spare, so that no second piece is begun.
  const chunkSize = Math.min(rawBytes + 1024, INFLATED_PIECE_BYTES_MAX);
  const options = { chunkSize, maxOutputLength: Math.max(rawBytes, 1) };
  return zstdDecompressSync(data, dictionary === undefined ? options : { ...options, dictionary });
}

function headerOf(pack: number): Buffer {
  const header = Buffer.alloc(PACK_HEADER_BYTES);
  header.writeUInt32LE(PACK_MAGIC, 0);
  header.writeUInt32LE(VERSION, 4);
  header.writeBigUInt64LE(BigInt(pack), 8);
  return header;
}

/** Writes the head of a pack anew where it is damaged: it says no more than the name of the file, and blocks are checked by themselves. One that holds none is left. */
export function mendPackHead(disk: Disk, dataDirectory: string, pack: number): void {
  const reader = new PackReader(disk, dataDirectory, pack);
  try {
    if (reader.hasHead() || !Array.from(reader.blocks(), (found) => 'place' in found).includes(true)) return;
  } finally {
    reader.close();
  }
  const file = disk.open(packPath(dataDirectory, pack));
  try {
    disk.write(file, [headerOf(pack)], 0);
    disk.sync(file, false);
  } finally {
    disk.close(file);
  }
}

/** Writes one pack: under another name until it is whole, checked and synced. Blocks are compressed as they come. */
export class PackWriter {
  bytes = PACK_HEADER_BYTES;
  private readonly disk: Disk;
  private readonly dataDirectory: string;
  private readonly pack: number;
  private readonly path: string;
  private readonly compression: Compression;
  private readonly file: number;
  private isOpen = true;
  private blocks = 0;

  constructor(disk: Disk, dataDirectory: string, pack: number, compression: Compression) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.pack = pack;
    this.compression = compression;
    this.path = `${packPath(dataDirectory, pack)}.part`;
    disk.makeDirectory(packDirectoryOf(dataDirectory));
    this.file = disk.open(this.path);
    disk.truncate(this.file, 0);
    disk.write(this.file, [headerOf(pack)], 0);
    const { dictionary, level } = compression;
    if (dictionary === undefined) return;
    this.writeRecord('dictionary', compress(dictionary, { dictionary: undefined, level }), dictionary.length);
  }

  /** How many blocks still fit. */
  get room(): number {
    return BLOCKS_PER_PACK_MAX - this.blocks - 1;
  }

  /** Adds one block and reads it back: throws ReenactError `store-failed` when it is not what was given. */
  add(raw: Buffer): BlockPlace {
    const data = compress(raw, this.compression);
    const { offset, bytes } = this.writeRecord('block', data, raw.length);
    freeMemory(data);
    if (!this.holds(raw, offset, bytes)) {
      throw new ReenactError('store-failed', 'A block could not be read back as it was written.', {
        where: this.path,
        next: 'Check the disk and memory of this machine; the log still holds everything.',
        retryable: true,
      });
    }
    this.blocks += 1;
    return { block: this.pack * BLOCKS_PER_PACK_MAX + this.blocks, offset, bytes, rawBytes: raw.length };
  }

  private holds(raw: Buffer, offset: number, bytes: number): boolean {
    const written = this.disk.read(this.file, offset, bytes);
    const record = readRecord(written);
    if (record === undefined) return false;
    const content = decompress(record.data, raw.length, this.compression.dictionary);
    const isSame = content.equals(raw);
    freeMemory(written);
    freeMemory(content);
    return isSame;
  }

  /** Makes the pack durable under its own name. */
  finish(): void {
    this.disk.sync(this.file, true);
    this.closeFile();
    this.disk.rename(this.path, packPath(this.dataDirectory, this.pack));
    this.disk.syncDirectory(packDirectoryOf(this.dataDirectory));
  }

  /** Leaves nothing behind. */
  abandon(): void {
    this.closeFile();
    this.disk.remove(this.path);
  }

  /** Once only: a number closed twice may by then be another thread's file. */
  private closeFile(): void {
    if (this.isOpen) this.disk.close(this.file);
    this.isOpen = false;
  }

  private writeRecord(type: (typeof TYPES)[number], data: Buffer, rawBytes: number): { offset: number; bytes: number } {
    const offset = this.bytes;
    const header = Buffer.alloc(RECORD_HEADER_BYTES);
    header.writeUInt32LE(RECORD_MAGIC, 0);
    header.writeUInt32LE(RECORD_HEADER_BYTES + data.length, 4);
    header.writeUInt8(TYPES.indexOf(type), 12);
    header.writeUInt8(type === 'block' && this.compression.dictionary !== undefined ? 1 : 0, 13);
    header.writeUInt16LE(this.compression.isHurried ? 1 : 0, 14);
    header.writeUInt32LE(rawBytes, 16);
    header.writeUInt32LE(crc32(data, crc32(header.subarray(12))), 8);
    this.disk.write(this.file, [header, data], offset);
    this.bytes += RECORD_HEADER_BYTES + data.length;
    return { offset, bytes: RECORD_HEADER_BYTES + data.length };
  }
}

/** Whether a pack begins with no dictionary, as one does that was made in a hurry. Not known of one that cannot be read. */
export function lacksDictionary(disk: Disk, dataDirectory: string, pack: number): boolean {
  try {
    const file = disk.openRead(packPath(dataDirectory, pack));
    try {
      const header = disk.read(file, PACK_HEADER_BYTES, RECORD_HEADER_BYTES);
      return header.length === RECORD_HEADER_BYTES && TYPES[header.readUInt8(12)] === 'block';
    } finally {
      disk.close(file);
    }
  } catch {
    return false;
  }
}

interface PackRecord {
  readonly type: (typeof TYPES)[number];
  readonly usesDictionary: boolean;
  readonly isHurried: boolean;
  readonly bytes: number;
  readonly rawBytes: number;
  readonly data: Buffer;
}

function readRecord(buffer: Buffer): PackRecord | undefined {
  if (buffer.length < RECORD_HEADER_BYTES || buffer.readUInt32LE(0) !== RECORD_MAGIC) return undefined;
  const bytes = buffer.readUInt32LE(4);
  if (bytes < RECORD_HEADER_BYTES || bytes > buffer.length) return undefined;
  const data = buffer.subarray(RECORD_HEADER_BYTES, bytes);
  if (crc32(data, crc32(buffer.subarray(12, RECORD_HEADER_BYTES))) !== buffer.readUInt32LE(8)) return undefined;
  const type = TYPES[buffer.readUInt8(12)];
  if (type === undefined) return undefined;
  const usesDictionary = buffer.readUInt8(13) === 1;
  const isHurried = buffer.readUInt16LE(14) === 1;
  return { type, usesDictionary, isHurried, bytes, rawBytes: buffer.readUInt32LE(16), data };
}

/** How many blocks a stretch is made of that begins with a record and of which none is whole: each has the mark of a record, the first without. */
function countBlocks(stretch: Buffer): number {
  let blocks = 0;
  for (let at = 0; at >= 0 && at < stretch.length; at = stretch.indexOf(RECORD_MARK, at + RECORD_HEADER_BYTES)) {
    if (TYPES[stretch[at + 12] ?? 0] !== 'dictionary') blocks += 1;
  }
  return blocks;
}

/** A block of a pack that was read. */
export interface FoundBlock {
  readonly place: BlockPlace;
  readonly isHurried: boolean;
  readonly raw: Buffer;
}

/** Reads the blocks of one pack. */
export class PackReader {
  private readonly disk: Disk;
  private readonly pack: number;
  private readonly path: string;
  private readonly file: number;
  private dictionary: Buffer | undefined;

  constructor(disk: Disk, dataDirectory: string, pack: number) {
    this.disk = disk;
    this.pack = pack;
    this.path = packPath(dataDirectory, pack);
    this.file = disk.openRead(this.path);
  }

  /** The content of one block. Throws ReenactError `store-failed` when it is damaged. */
  read({ offset, bytes }: Pick<BlockPlace, 'offset' | 'bytes'>): Buffer {
    const record = readRecord(this.disk.read(this.file, offset, bytes));
    if (record?.type !== 'block') throw this.damaged(offset);
    return this.content(record, offset);
  }

  /** Whether the head of the file is as it was written. */
  hasHead(): boolean {
    return this.disk.read(this.file, 0, PACK_HEADER_BYTES).equals(headerOf(this.pack));
  }

  /** Every block in order; for one that is damaged its offset, which is 0 where it is the head of the file. */
  *blocks(): Generator<FoundBlock | { readonly damagedAt: number }> {
    const whole = this.disk.read(this.file, 0, this.disk.size(this.file));
    // Nothing guards the number in the head: blocks are named by that of the file, whatever it says.
    const { pack } = this;
    if (!this.hasHead()) yield { damagedAt: 0 };
    let blocks = 0;
    for (let offset = PACK_HEADER_BYTES; offset < whole.length; ) {
      const record = readRecord(whole.subarray(offset));
      if (record === undefined) {
        yield { damagedAt: offset };
        const next = findRecord(whole, offset + 1);
        if (next < 0) return;
        // Blocks are numbered by their place, so how many were skipped must be known.
        blocks += countBlocks(whole.subarray(offset, next));
        offset = next;
        continue;
      }
      if (record.type === 'block') {
        blocks += 1;
        const { bytes, rawBytes, isHurried } = record;
        const place = { block: pack * BLOCKS_PER_PACK_MAX + blocks, offset, bytes, rawBytes };
        try {
          yield { place, isHurried, raw: this.content(record, offset) };
        } catch {
          yield { damagedAt: offset };
        }
      }
      offset += record.bytes;
    }
  }

  close(): void {
    this.disk.close(this.file);
  }

  private content({ data, rawBytes, usesDictionary }: PackRecord, offset: number): Buffer {
    try {
      return decompress(data, rawBytes, usesDictionary ? this.readDictionary() : undefined);
    } catch (thrown) {
      throw this.damaged(offset, thrown);
    }
  }

  private readDictionary(): Buffer {
    if (this.dictionary !== undefined) return this.dictionary;
    const start = this.disk.read(this.file, PACK_HEADER_BYTES, RECORD_HEADER_BYTES);
    const bytes = start.length < RECORD_HEADER_BYTES ? 0 : start.readUInt32LE(4);
    const record = readRecord(this.disk.read(this.file, PACK_HEADER_BYTES, Math.min(bytes, 2 ** 24)));
    if (record?.type !== 'dictionary') throw this.damaged(PACK_HEADER_BYTES);
    this.dictionary = decompress(record.data, record.rawBytes, undefined);
    return this.dictionary;
  }

  private damaged(offset: number, cause?: unknown): ReenactError {
    return damagedTelemetry({
      what: 'A block of stored telemetry',
      where: `${this.path} at byte ${offset}`,
      andThen: ', and restore the file from a backup',
      cause,
    });
  }
}

function findRecord(whole: Buffer, from: number): number {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(RECORD_MAGIC);
  return whole.indexOf(magic, from);
}
