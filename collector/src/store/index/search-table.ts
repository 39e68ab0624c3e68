import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SearchableTexts } from '../store.ts';
import { readKeptTexts, wordsOf } from './searchable-texts.ts';

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

  replace(trace: number, texts: SearchableTexts | undefined): void {
    const known = this.stored(trace);
    if (known !== undefined && texts !== undefined && Buffer.compare(known, texts.kept) === 0) return;
    this.remove(trace, known);
    if (texts === undefined) return;
    this.insertTexts.run(trace, texts.kept);
    this.insertWords.run(trace, texts.words);
  }

  remove(trace: number, known = this.stored(trace)): void {
    if (known === undefined) return;
    this.deleteWords.run(trace, wordsOf(readKeptTexts(known)));
    this.deleteTexts.run(trace);
  }

  private stored(trace: number): Uint8Array | undefined {
    const texts = this.select.get(trace)?.texts;
    return texts instanceof Uint8Array ? texts : undefined;
  }
}
