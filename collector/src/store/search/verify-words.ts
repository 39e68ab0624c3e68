import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { wordsOfKept } from './searchable-texts.ts';

/** Longer words are cut by FTS5, in bytes. */
const WORD_BYTES_MAX = 32_768;

const SUM_END = 2 ** 32;

/** The sum over the words of one run, each with its place, in whatever order they come. */
class WordSums {
  private readonly sums = new Map<number, number>();

  add(trace: number, wordSum: number, place: number): void {
    const sum = (this.sums.get(trace) ?? 0) + (Math.imul(wordSum | 1, place + 1) >>> 0) + wordSum;
    this.sums.set(trace, sum % SUM_END);
  }

  take(trace: number): number {
    const sum = this.sums.get(trace) ?? 0;
    this.sums.delete(trace);
    return sum;
  }

  get runs(): number {
    return this.sums.size;
  }
}

function sumOfWord(word: string): number {
  if (word.length * 3 <= WORD_BYTES_MAX) return crc32(word);
  return crc32(Buffer.from(word).subarray(0, WORD_BYTES_MAX));
}

/** All that runs are found by, read once from the first word to the last. */
function readIndexedWords(database: DatabaseSync): WordSums {
  database.exec('CREATE VIRTUAL TABLE IF NOT EXISTS temp.indexed_word USING fts5vocab (main, search, instance)');
  const select = database.prepare('SELECT term, doc, offset FROM temp.indexed_word');
  select.setReturnArrays(true);
  const sums = new WordSums();
  let last: unknown;
  let lastSum = 0;
  for (const row of select.iterate()) {
    const [word, trace, place] = row as unknown as readonly [string, number, number];
    if (word !== last) lastSum = sumOfWord(word);
    last = word;
    sums.add(Number(trace), lastSum, Number(place));
  }
  return sums;
}

/** What the words are of a run by its texts, and how many; undefined where these cannot be read. */
function wordsOfTexts(trace: number, kept: Uint8Array): { readonly sum: number; readonly count: number } | undefined {
  try {
    const sums = new WordSums();
    const text = wordsOfKept(kept);
    const words = text === '' ? [] : text.split(' ');
    for (const [place, word] of words.entries()) sums.add(trace, sumOfWord(word), place);
    return { sum: sums.take(trace), count: words.length };
  } catch {
    return undefined;
  }
}

/** A number as FTS5 keeps it: seven bits a byte, the highest first, each byte but the last with its eighth bit set. */
function readCount(bytes: unknown): number | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) return undefined;
  const isWhole = bytes.every((byte, index) => byte >= 0x80 === index < bytes.length - 1);
  return isWhole ? bytes.reduce((count, byte) => count * 0x80 + (byte & 0x7f), 0) : undefined;
}

/** Runs whose texts cannot be read, and such that are found by other words than those of their texts, in words. */
export function verifyWords(database: DatabaseSync): string[] {
  const indexed = readIndexedWords(database);
  let unreadable = 0;
  let others = 0;
  let miscounted = 0;
  const select = database.prepare(
    'SELECT trace, texts, sz FROM content LEFT JOIN search_docsize ON id = trace WHERE texts IS NOT NULL',
  );
  for (const { trace, texts, sz } of select.iterate()) {
    const words = wordsOfTexts(Number(trace), texts as Uint8Array);
    const found = indexed.take(Number(trace));
    if (words === undefined) unreadable += 1;
    else if (words.sum !== found) others += 1;
    else if (words.count !== readCount(sz)) miscounted += 1;
  }
  const problems = [
    [unreadable, 'runs have texts that cannot be read'],
    [others + indexed.runs, 'runs are found by other words than those of their texts'],
    [miscounted, 'runs have another number of words than their texts'],
  ] as const;
  return problems.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
}
