import { SIMILARITY_CHARACTERS_MAX, SIMILARITY_WORDS_MAX } from './limits.ts';

function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < word.length; index += 1) {
    hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193);
  }
  // The last rounds spread what FNV leaves in the low bits, because the smallest hashes are kept.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** The words of a text as a sorted sample of hashes: the same words of any two texts are sampled. */
export function wordSample(text: string): Uint32Array {
  const isLong = text.length > 2 * SIMILARITY_CHARACTERS_MAX;
  const read = isLong ? `${text.slice(0, SIMILARITY_CHARACTERS_MAX)} ${text.slice(-SIMILARITY_CHARACTERS_MAX)}` : text;
  const hashes = new Set((read.match(/[\p{L}\p{N}_.]+/gu) ?? []).map(hashOf));
  return Uint32Array.from(hashes).sort().slice(0, SIMILARITY_WORDS_MAX);
}

/** How alike two texts are by their words, from 0 (no word in common) to 1; the same in both directions. */
export function similarity(left: Uint32Array, right: Uint32Array): number {
  let [atLeft, atRight, common, seen] = [0, 0, 0, 0];
  while (atLeft < left.length && atRight < right.length && seen < SIMILARITY_WORDS_MAX) {
    const [first = 0, second = 0] = [left[atLeft], right[atRight]];
    if (first === second) common += 1;
    if (first <= second) atLeft += 1;
    if (second <= first) atRight += 1;
    seen += 1;
  }
  if (seen < SIMILARITY_WORDS_MAX) seen += left.length - atLeft + (right.length - atRight);
  return seen === 0 ? 1 : common / Math.min(seen, SIMILARITY_WORDS_MAX);
}
