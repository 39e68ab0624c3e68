import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CrossingText } from '../store.ts';
import { foldWords } from './folded-words.ts';

/** The words of these texts, as they were or are to be in the search table. */
function wordsOf(texts: readonly CrossingText[]): string {
  return foldWords(texts.map(({ text }) => text).join('\n'));
}

/** Keeps the text of runs, compressed, and the words they are found by; every method runs inside a transaction. */
export class SearchTable {
  private readonly select: StatementSync;
  private readonly insertTexts: StatementSync;
  private readonly deleteTexts: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;

  constructor(database: DatabaseSync) {
    this.select = database.prepare('SELECT texts FROM content WHERE trace = ?');
    this.insertTexts = database.prepare('INSERT INTO content (trace, texts) VALUES (?, ?)');
    this.deleteTexts = database.prepare('DELETE FROM content WHERE trace = ?');
    this.insertWords = database.prepare('INSERT INTO search (rowid, words) VALUES (?, ?)');
    // The table holds no text, so it has to be told what to take out.
    this.deleteWords = database.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)");
  }

  replace(trace: number, texts: readonly CrossingText[]): void {
    const written = JSON.stringify(texts);
    const known = this.stored(trace);
    if (written === (known ?? '[]')) return;
    this.remove(trace);
    if (texts.length === 0) return;
    this.insertTexts.run(trace, zstdCompressSync(written));
    this.insertWords.run(trace, wordsOf(texts));
  }

  remove(trace: number): void {
    const known = this.stored(trace);
    if (known === undefined) return;
    this.deleteWords.run(trace, wordsOf(JSON.parse(known) as CrossingText[]));
    this.deleteTexts.run(trace);
  }

  private stored(trace: number): string | undefined {
    const texts = this.select.get(trace)?.texts;
    return texts instanceof Uint8Array ? zstdDecompressSync(texts).toString() : undefined;
  }
}

/** The texts of a run as they are kept. */
export function readKeptTexts(texts: Uint8Array): CrossingText[] {
  return JSON.parse(zstdDecompressSync(texts).toString()) as CrossingText[];
}
