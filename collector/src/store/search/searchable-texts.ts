import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CrossingText, SearchableTexts } from '../store.ts';
import { foldWords } from './folded-words.ts';

/**
 * Texts as they are kept and searched, in memory of their own that can move to another thread; undefined where there are none. It
 * takes milliseconds of a long run.
 */
export function toSearchableTexts(texts: readonly CrossingText[]): SearchableTexts | undefined {
  if (texts.length === 0) return undefined;
  return {
    kept: new Uint8Array(zstdCompressSync(JSON.stringify(texts))),
    words: new TextEncoder().encode(wordsOf(texts)),
  };
}

/** The texts of a run as they were kept. */
export function readKeptTexts(kept: Uint8Array): CrossingText[] {
  return JSON.parse(zstdDecompressSync(kept).toString()) as CrossingText[];
}

/** The words of these texts, as they were or are to be in the search file. */
export function wordsOf(texts: readonly CrossingText[]): string {
  return foldWords(texts.map(({ text }) => text).join('\n'));
}
