import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Disk } from '../files/disk.ts';
import { readWhole, replaceFile } from '../files/replace-file.ts';
import { CHAIN_FILES_MAX } from '../limits.ts';
import { decodeBatch } from './batch.ts';
import { decodeHead, encodeHead, type Frame, type FrameHead, holdsBatch, nextLink } from './frame.ts';
import { DIGEST_BYTES, digestContent, digestItems, digestTenant } from './item-digest.ts';

const HEAD_BYTES = 60;
const RECORD_START_BYTES = 8;
const RECORD_BYTES_MIN = RECORD_START_BYTES + HEAD_BYTES + DIGEST_BYTES;

/** What the chain commits to of one frame, without its payload; control frames keep their body. */
export interface ChainRecord extends FrameHead {
  readonly tenantDigest: Buffer;
  /** Those of all items, one behind the other. */
  readonly itemDigests: Buffer;
  /** Of a frame without items; empty otherwise. */
  readonly body: Buffer;
}

/** The chain's view of a frame; `itemDigests` where they are known already. */
export function toChainRecord(frame: Frame): ChainRecord {
  const { kind, sequence, firstId, receivedMs, link } = frame;
  if (!holdsBatch(kind)) {
    const tenantDigest = Buffer.alloc(DIGEST_BYTES);
    return { kind, sequence, firstId, receivedMs, link, tenantDigest, itemDigests: Buffer.alloc(0), body: frame.body };
  }
  const batch = decodeBatch(frame.body, firstId);
  const tenantDigest = digestTenant(batch.tenant);
  const itemDigests = digestItems(batch);
  return { kind, sequence, firstId, receivedMs, link, tenantDigest, itemDigests, body: Buffer.alloc(0) };
}

/** The link that must follow `previous`; equal to the record's own link where nothing was changed. */
export function linkAfter(previous: Uint8Array, record: ChainRecord): Buffer {
  const { kind, tenantDigest, itemDigests, body } = record;
  return nextLink(previous, record, holdsBatch(kind) ? digestContent(tenantDigest, itemDigests) : digestBody(body));
}

/** Content digest of a control frame. */
export function digestBody(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest();
}

function encodeRecord(record: ChainRecord): Buffer {
  const parts = [encodeHead(record), record.link, record.tenantDigest, record.itemDigests, record.body];
  const content = Buffer.concat(parts);
  const start = Buffer.alloc(RECORD_START_BYTES);
  start.writeUInt32LE(content.length, 0);
  start.writeUInt32LE(crc32(content), 4);
  return Buffer.concat([start, content]);
}

function decodeRecord(content: Buffer): ChainRecord | undefined {
  const head = decodeHead(content.subarray(0, HEAD_BYTES));
  if (head === undefined) return undefined;
  const tenantDigest = content.subarray(HEAD_BYTES, HEAD_BYTES + DIGEST_BYTES);
  const rest = content.subarray(HEAD_BYTES + DIGEST_BYTES);
  if (!holdsBatch(head.kind)) return { ...head, tenantDigest, itemDigests: Buffer.alloc(0), body: rest };
  return { ...head, tenantDigest, itemDigests: rest, body: Buffer.alloc(0) };
}

/** Folder of the chain in a data directory. */
export function chainDirectoryOf(dataDirectory: string): string {
  return join(dataDirectory, 'chain');
}

function chainFiles(disk: Disk, dataDirectory: string): string[] {
  return disk.list(chainDirectoryOf(dataDirectory)).filter((name) => name.endsWith('.chain'));
}

/**
 * Keeps the chain of frames whose segments are about to be released, durably. Files are named by their first sequence;
 * when there are many they become one. Writing the same frames twice, as after a crash, changes nothing for a reader.
 */
export function archiveChain(disk: Disk, dataDirectory: string, records: readonly ChainRecord[]): void {
  const [first] = records;
  if (first === undefined) return;
  const directory = chainDirectoryOf(dataDirectory);
  disk.makeDirectory(directory);
  const merged = chainFiles(disk, dataDirectory);
  const isMerging = merged.length >= CHAIN_FILES_MAX;
  const old = isMerging ? merged.map((name) => readWhole(disk, join(directory, name))) : [];
  const name = (isMerging ? merged[0] : undefined) ?? `${String(first.sequence).padStart(12, '0')}.chain`;
  replaceFile(disk, directory, name, [...old, ...records.map(encodeRecord)]);
  for (const other of isMerging ? merged.slice(1) : []) disk.remove(join(directory, other));
  disk.syncDirectory(directory);
}

/** A place in the archive of which nothing can be read. */
export interface ChainDamage {
  readonly file: string;
  readonly damagedAt: number;
}

/** The archived chain in order, each frame once; of what is damaged, where it is. What lies behind that is read all the same. */
export function* readArchive(disk: Disk, dataDirectory: string): Generator<ChainRecord | ChainDamage> {
  let sequence = 0;
  for (const name of chainFiles(disk, dataDirectory)) {
    const file = join(chainDirectoryOf(dataDirectory), name);
    const bytes = readWhole(disk, file);
    for (let at = 0; at < bytes.length; ) {
      const found = recordAt(bytes, at);
      if (found === undefined) {
        yield { file, damagedAt: at };
        at = findRecordBehind(bytes, at, sequence);
        continue;
      }
      if (found.record.sequence > sequence) yield found.record;
      sequence = Math.max(sequence, found.record.sequence);
      at = found.end;
    }
  }
}

/** What can be read of the archived chain, in order, each frame once. */
export function* readChain(disk: Disk, dataDirectory: string): Generator<ChainRecord> {
  for (const found of readArchive(disk, dataDirectory)) if (!('damagedAt' in found)) yield found;
}

function recordAt(bytes: Buffer, at: number): { readonly record: ChainRecord; readonly end: number } | undefined {
  if (at + RECORD_BYTES_MIN > bytes.length) return undefined;
  const end = at + RECORD_START_BYTES + bytes.readUInt32LE(at);
  if (end < at + RECORD_BYTES_MIN || end > bytes.length) return undefined;
  const content = bytes.subarray(at + RECORD_START_BYTES, end);
  const record = crc32(content) === bytes.readUInt32LE(at + 4) ? decodeRecord(content) : undefined;
  return record === undefined ? undefined : { record, end };
}

/** Where the next record begins behind damage, by what every one of them has; the end where there is none. */
function findRecordBehind(bytes: Buffer, damagedAt: number, sequence: number): number {
  for (let at = damagedAt + 1; at + RECORD_BYTES_MIN <= bytes.length; at += 1) {
    const head = at + RECORD_START_BYTES;
    if (bytes.readUIntLE(head + 1, 3) !== 0 || Number(bytes.readBigUInt64LE(head + 4)) <= sequence) continue;
    if (recordAt(bytes, at) !== undefined) return at;
  }
  return bytes.length;
}
