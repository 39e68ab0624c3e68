import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { SEARCH_TEXT_COMPRESSION_LEVEL } from '../../limits.ts';
import type { CrossingText, SearchableTexts } from '../store.ts';
import { foldBytes } from './folded-words.ts';

/** Where a text came from, and how many UTF-16 code units of all texts are its own. */
type Heading = readonly [spanId: string, part: CrossingText['part'], length: number];

const LENGTH_BYTES = 4;

/**
 * Texts as they are kept and searched, in memory of their own that can move to another thread; undefined where there are none. What is kept
 * is compressed: u32 length of the headings, their JSON, and all texts in UTF-8, a line feed between two of them.
 */
export function toSearchableTexts(texts: readonly CrossingText[]): SearchableTexts | undefined {
  if (texts.length === 0) return undefined;
  const headings = texts.map(({ spanId, part, text }): Heading => [spanId, part, text.length]);
  const head = Buffer.from(JSON.stringify(headings));
  const body = Buffer.from(texts.map(({ text }) => text).join('\n'));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(head.length);
  const params = { [constants.ZSTD_c_compressionLevel]: SEARCH_TEXT_COMPRESSION_LEVEL };
  const kept = new Uint8Array(zstdCompressSync(Buffer.concat([length, head, body]), { params }));
  return { kept, words: foldBytes(body) };
}

function open(kept: Uint8Array): { readonly headings: readonly Heading[]; readonly body: Buffer } {
  const raw = zstdDecompressSync(kept);
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
  const words = foldBytes(open(kept).body);
  return Buffer.from(words.buffer, words.byteOffset, words.length).toString();
}
