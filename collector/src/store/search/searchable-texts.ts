import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { freeMemory } from '../../memory/free-memory.ts';
import { SEARCH_TEXT_COMPRESSION_LEVEL } from '../limits.ts';
import type { CrossingText, SearchableTexts } from '../store.ts';
import { foldBytes } from './folded-words.ts';

/** Where a text came from, and how many UTF-16 code units of all texts are its own. */
type Heading = readonly [spanId: string, part: CrossingText['part'], length: number];

const LENGTH_BYTES = 4;
const LINE_FEED = 0x0a;

/** Bytes of one UTF-16 code unit in UTF-8, at most. */
const UTF8_BYTES_MAX = 3;

/** Bytes of one piece while texts are compressed and inflated: most runs are one. */
const PIECE_BYTES = 256 * 1024;

/**
 * Texts as they are kept and searched, in memory of their own that can move to another thread; undefined where there are none. What is kept
 * is compressed: u32 length of the headings, their JSON, and all texts in UTF-8, a line feed between two of them.
 */
export function toSearchableTexts(texts: readonly CrossingText[]): SearchableTexts | undefined {
  if (texts.length === 0) return undefined;
  const headings = texts.map(({ spanId, part, text }): Heading => [spanId, part, text.length]);
  const { raw, body } = encodeTexts(JSON.stringify(headings), texts);
  const params = {
    [constants.ZSTD_c_compressionLevel]: SEARCH_TEXT_COMPRESSION_LEVEL,
    // What separates words is in no index of them, and zstd by itself takes other bytes for what was written.
    [constants.ZSTD_c_checksumFlag]: 1,
  };
  const compressed = zstdCompressSync(raw, { params, chunkSize: PIECE_BYTES });
  const searchable = { kept: new Uint8Array(compressed), words: foldBytes(body) };
  freeMemory(compressed);
  freeMemory(raw);
  return searchable;
}

/** What is compressed, and the part of it that holds the texts. */
function encodeTexts(head: string, texts: readonly CrossingText[]): { readonly raw: Buffer; readonly body: Buffer } {
  const characters = texts.reduce((sum, { text }) => sum + text.length + 1, 0);
  // Written piece by piece into room for the worst case: one text that is not Latin does not make all of them slow.
  const room = Buffer.allocUnsafe(LENGTH_BYTES + UTF8_BYTES_MAX * (head.length + characters));
  const bodyAt = LENGTH_BYTES + room.write(head, LENGTH_BYTES);
  room.writeUInt32LE(bodyAt - LENGTH_BYTES, 0);
  let at = bodyAt;
  for (const [index, { text }] of texts.entries()) {
    if (index > 0) at = room.writeUInt8(LINE_FEED, at);
    at += room.write(text, at);
  }
  return { raw: room.subarray(0, at), body: room.subarray(bodyAt, at) };
}

function open(kept: Uint8Array): { readonly headings: readonly Heading[]; readonly body: Buffer } {
  const raw = zstdDecompressSync(kept, { chunkSize: PIECE_BYTES });
  const end = LENGTH_BYTES + raw.readUInt32LE(0);
  return { headings: JSON.parse(raw.toString('utf8', LENGTH_BYTES, end)) as Heading[], body: raw.subarray(end) };
}

/** The texts of a run as they were kept. */
export function readKeptTexts(kept: Uint8Array): CrossingText[] {
  const { headings, body } = open(kept);
  const all = body.toString();
  let at = 0;
  return headings.map(([spanId, part, length]) => {
    const text = all.slice(at, at + length);
    at += length + 1;
    return { spanId, part, text };
  });
}

/** The words of texts that were kept, as they are in the search file. */
export function wordsOfKept(kept: Uint8Array): string {
  const { body } = open(kept);
  const words = foldBytes(body);
  freeMemory(body);
  const text = Buffer.from(words.buffer, words.byteOffset, words.length).toString();
  freeMemory(words);
  return text;
}
