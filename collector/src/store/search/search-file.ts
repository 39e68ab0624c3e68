import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { IndexState } from '../index/index-state.ts';
import { inTransaction } from '../index/open-index.ts';
import type { SearchableTexts } from '../store.ts';
import { openSearchFile } from './open-search-file.ts';
import { wordsOfKept } from './searchable-texts.ts';

/** The texts of one run. */
export interface TextsOfRun {
  /** Row of its trace in the index, which no other trace has ever had. */
  readonly trace: number;
  readonly revision: number;
  readonly texts: SearchableTexts | undefined;
}

/** Keeps the texts of runs, compressed, and the words they are found by. Only one thread of one process uses it. */
export class SearchFile {
  readonly database: DatabaseSync;
  private readonly state: IndexState;
  private readonly select: StatementSync;
  private readonly upsert: StatementSync;
  private readonly deleteRow: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;

  /** Opens what `matchSearchFile` has made. */
  constructor(dataDirectory: string, memoryShare?: number) {
    this.database = openSearchFile(dataDirectory, memoryShare);
    this.state = new IndexState(this.database);
    this.select = this.database.prepare('SELECT revision, texts FROM content WHERE trace = ?');
    this.upsert = this.database.prepare('INSERT OR REPLACE INTO content (trace, revision, texts) VALUES (?, ?, ?)');
    this.deleteRow = this.database.prepare('DELETE FROM content WHERE trace = ?');
    this.insertWords = this.database.prepare('INSERT INTO search (rowid, words) VALUES (?, CAST(? AS TEXT))');
    // The table holds no text, so it has to be told what to take out.
    this.deleteWords = this.database.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)");
  }

  /**
   * Keeps these texts instead of what was kept of earlier revisions of the same runs; durable when it returns. Gives the generation
   * that holds them.
   */
  keep(runs: readonly TextsOfRun[]): number {
    return inTransaction(this.database, false, () => {
      for (const run of runs) this.replace(run);
      const generation = this.state.read('generation') + 1;
      this.state.write('generation', generation);
      return generation;
    });
  }

  /** Takes out all that is known of these traces; durable when it returns. */
  forget(traces: readonly number[]): void {
    inTransaction(this.database, false, () => {
      for (const trace of traces) {
        this.removeWords(trace, textsOf(this.select.get(trace)));
        this.deleteRow.run(trace);
      }
    });
  }

  /** Gives back room; in full, nothing that was taken out is left anywhere in the file or its log. */
  tidy(isFull: boolean): void {
    this.database.exec('PRAGMA incremental_vacuum(2000)');
    if (isFull) this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  }

  close(): void {
    if (!this.database.isOpen) return;
    // Readers may still have it open, and then SQLite leaves its log.
    this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.database.close();
  }

  private replace({ trace, revision, texts }: TextsOfRun): void {
    const row = this.select.get(trace);
    if (Number(row?.revision ?? 0) > revision) return;
    const known = textsOf(row);
    const isSame = known !== undefined && texts !== undefined && Buffer.compare(known, texts.kept) === 0;
    if (!isSame) this.removeWords(trace, known);
    this.upsert.run(trace, revision, texts?.kept ?? null);
    if (!isSame && texts !== undefined) this.insertWords.run(trace, texts.words);
  }

  private removeWords(trace: number, known: Uint8Array | undefined): void {
    if (known !== undefined) this.deleteWords.run(trace, wordsOfKept(known));
  }
}

function textsOf(row: Record<string, unknown> | undefined): Uint8Array | undefined {
  return row?.texts instanceof Uint8Array ? row.texts : undefined;
}
