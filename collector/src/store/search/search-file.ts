import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { inTransaction } from '../database/in-transaction.ts';
import { IndexState } from '../database/index-state.ts';
import { SEARCH_PAGE_BYTES } from '../limits.ts';
import type { SearchableTexts } from '../store.ts';
import { isFullDisk } from '../store-error.ts';
import { openSearchFile } from './open-search-file.ts';
import { wordsOfKept } from './searchable-texts.ts';

/** No trace has this row, and so nothing is ever found by its word. */
const PIECE_ROW = -1;
const PIECE_WORD = 'x';

/** How many leaves of the words' tree are merged in one transaction. */
const MERGED_LEAVES = 1_000;

/**
 * A part of all runs: as many have to be taken out before the file is made smaller, which writes all of it again. Until then runs go for room that is only
 * between words; with a tenth, it mostly took more time to take out those than to write the file more often.
 */
const COMPACTED_SHARE = 0.02;

/** Runs whose words are taken out in one transaction, while what else is asked of the file waits: each takes up to 0.2 s. */
const FORGOTTEN_PER_STEP = 16;

/** How many times as long it takes to take words out, and out of the pages they are on, as to put them in. */
const REMOVED_TO_INSERTED = 6;

/** Compressed texts whose words are put together again in one go: about a minute, in which new ones wait. */
const REBUILT_TEXT_BYTES_MAX = 64 * 1024 * 1024;

/** Bytes of the file that are merged in the time in which the words of one byte of compressed texts are taken out, at least. */
const MERGED_BYTES_PER_REMOVED = 500;

/** Size of the file up to which it is merged in one go for a deletion: some seconds, in which new texts wait. */
const MERGED_FILE_BYTES_MAX = 1024 * 1024 * 1024;

/** Runs that leave the file with one merge of it. */
const MERGED_RUNS_MAX = 2_000;

const NO_TEXTS = new Uint8Array(0);

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
  private readonly mergedBytesMax: number;
  private readonly state: IndexState;
  private readonly select: StatementSync;
  private readonly selectKept: StatementSync;
  private readonly upsert: StatementSync;
  private readonly deleteRow: StatementSync;
  private readonly insertWords: StatementSync;
  private readonly deleteWords: StatementSync;
  private readonly selectChanges: StatementSync;

  /** Opens what `matchSearchFile` has made. `mergedBytesMax`: up to which size it is merged in one go for a deletion. */
  constructor(dataDirectory: string, memoryShare?: number, mergedBytesMax: number = MERGED_FILE_BYTES_MAX) {
    this.mergedBytesMax = mergedBytesMax;
    this.database = openSearchFile(dataDirectory, memoryShare);
    this.state = new IndexState(this.database);
    this.select = this.database.prepare('SELECT revision, texts FROM content WHERE trace = ?');
    this.selectKept = this.database.prepare('SELECT 1 FROM content WHERE trace = ? AND texts IS NOT NULL');
    this.upsert = this.database.prepare('INSERT OR REPLACE INTO content (trace, revision, texts) VALUES (?, ?, ?)');
    this.deleteRow = this.database.prepare('DELETE FROM content WHERE trace = ?');
    this.insertWords = this.database.prepare('INSERT INTO search (rowid, words) VALUES (?, CAST(? AS TEXT))');
    // The table holds no text, so it has to be told what to take out.
    this.deleteWords = this.database.prepare("INSERT INTO search (search, rowid, words) VALUES ('delete', ?, ?)");
    this.selectChanges = this.database.prepare('SELECT total_changes() AS changes');
    this.removePiece();
  }

  /**
   * Keeps these texts instead of what was kept of earlier revisions of the same runs; durable when it returns. Gives the generation
   * that holds them.
   */
  keep(runs: readonly TextsOfRun[]): number {
    return inTransaction(this.database, false, () => {
      const due = newestOfEach(runs).filter((run) => !this.isOutdated(run));
      const { fresh = [], known = [] } = Object.groupBy(due, (run) => (this.isFresh(run) ? 'fresh' : 'known'));
      if (fresh.length > 0) this.insertFresh(fresh);
      if (known.length > 0) this.replace(known);
      const generation = this.state.read('generation') + 1;
      this.state.write('generation', generation);
      return generation;
    });
  }

  /**
   * Takes out all that is known of the first of these traces, durable when it returns, and gives of how many. As a rule these are as many as others may wait for;
   * they are more where it is quicker to merge the whole file without them, and all where it is quicker to put the words of the others together again.
   */
  forget(traces: readonly number[]): number {
    const many = traces.slice(0, MERGED_RUNS_MAX);
    if (this.isSoonerMerged(many) && this.mergeWithout(many)) return many.length;
    if (this.isSoonerRebuilt(traces)) return this.rebuildWithout(traces);
    const step = traces.slice(0, FORGOTTEN_PER_STEP);
    inTransaction(this.database, false, () => {
      for (const trace of step) {
        this.removeWords(trace, textsOf(this.select.get(trace)));
        this.deleteRow.run(trace);
      }
      this.state.write('removed', this.state.read('removed') + step.length);
    });
    return step.length;
  }

  private isSoonerMerged(traces: readonly number[]): boolean {
    const pages = Number(this.database.prepare('PRAGMA page_count').get()?.page_count);
    const bytes = pages * SEARCH_PAGE_BYTES;
    return bytes <= this.mergedBytesMax && bytes < this.textBytes(traces) * MERGED_BYTES_PER_REMOVED;
  }

  /**
   * Notes that the words are gone, which is as quick as to enter them, and merges all there is, which leaves them out. In one transaction: half of it would
   * be words that nobody finds and nobody takes out any more. False where there is no room for it on the disk.
   */
  private mergeWithout(traces: readonly number[]): boolean {
    const { database } = this;
    try {
      inTransaction(database, false, () => {
        this.takeOffPages(false);
        for (const trace of traces) {
          this.removeWords(trace, textsOf(this.select.get(trace)));
          this.deleteRow.run(trace);
        }
        this.takeOffPages(true);
        this.mergeStep(false);
        while (this.mergeStep(true));
        this.removePiece();
        this.state.write('removed', 0);
      });
      return true;
    } catch (thrown) {
      if (!isFullDisk(thrown)) throw thrown;
      return false;
    } finally {
      this.giveBack();
    }
  }

  private textBytes(traces: readonly number[]): number {
    const size = this.database.prepare('SELECT length(texts) AS bytes FROM content WHERE trace = ?');
    return traces.reduce((sum, trace) => sum + Number(size.get(trace)?.bytes ?? 0), 0);
  }

  private isSoonerRebuilt(traces: readonly number[]): boolean {
    if (traces.length <= FORGOTTEN_PER_STEP) return false;
    const sizes = this.database.prepare('SELECT total(length(texts)) AS bytes FROM content').get();
    const gone = this.textBytes(traces);
    const left = Number(sizes?.bytes) - gone;
    return left < gone * REMOVED_TO_INSERTED && left <= REBUILT_TEXT_BYTES_MAX;
  }

  /** In one transaction, so that a search finds everything at any time. */
  private rebuildWithout(traces: readonly number[]): number {
    const { database } = this;
    inTransaction(database, false, () => {
      for (const trace of traces) this.deleteRow.run(trace);
      database.exec("INSERT INTO search (search) VALUES ('delete-all')");
      const left = database.prepare('SELECT trace, texts FROM content WHERE texts IS NOT NULL ORDER BY trace');
      for (const row of left.iterate()) this.insertWords.run(Number(row.trace), wordsOfKept(textsOf(row) ?? NO_TEXTS));
      this.state.write('removed', 0);
    });
    this.giveBack();
    return traces.length;
  }

  /** Gives back room; in full, nothing that was taken out is left anywhere in the file or its log. */
  tidy(isFull: boolean): void {
    this.database.exec('PRAGMA incremental_vacuum(2000)');
    if (isFull) this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  }

  /** Whether so many runs were taken out that it is worth while to make the file smaller: all of it is written again for that. */
  isWorthCompacting(): boolean {
    const removed = this.state.read('removed');
    const left = Number(this.database.prepare('SELECT count(*) AS runs FROM search_docsize').get()?.runs);
    return removed > 0 && removed >= (left + removed) * COMPACTED_SHARE;
  }

  /**
   * Makes the file as small as what it holds, step by step; false once it is. Words that are taken out leave holes where they were, and SQLite
   * merges into fewer pages only what is in several pieces: a row that nobody finds is one more.
   */
  compact(isBegun: boolean): boolean {
    if (this.mergeStep(isBegun)) return true;
    this.removePiece();
    this.state.write('removed', 0);
    this.giveBack();
    return false;
  }

  private mergeStep(isBegun: boolean): boolean {
    if (!isBegun) this.insertWords.run(PIECE_ROW, PIECE_WORD);
    const before = this.changes();
    this.database.exec(
      `INSERT INTO search (search, rank) VALUES ('merge', ${isBegun ? MERGED_LEAVES : -MERGED_LEAVES})`,
    );
    return this.changes() - before >= 2;
  }

  private giveBack(): void {
    this.database.exec('PRAGMA incremental_vacuum');
    this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  }

  /** Also what a process left that died while it merged. */
  private removePiece(): void {
    const piece = this.database.prepare('SELECT id FROM search_docsize WHERE id = ?').get(PIECE_ROW);
    if (piece !== undefined) this.deleteWords.run(PIECE_ROW, PIECE_WORD);
  }

  /** A merge that had nothing left to do changes less than two rows. */
  private changes(): number {
    return Number(this.selectChanges.get()?.changes);
  }

  close(): void {
    if (!this.database.isOpen) return;
    // Readers may still have it open, and then SQLite leaves its log.
    this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.database.close();
  }

  /** Whether the file has a later revision. */
  private isOutdated({ trace, revision }: TextsOfRun): boolean {
    return Number(this.select.get(trace)?.revision ?? 0) > revision;
  }

  /** Whether it brings words and has none in the file. */
  private isFresh({ trace, texts }: TextsOfRun): boolean {
    return texts !== undefined && this.selectKept.get(trace) === undefined;
  }

  /** Where words may have to be taken off pages SQLite looks at each entry that it writes, which is half of writing them: of these none has to. */
  private insertFresh(runs: readonly TextsOfRun[]): void {
    this.takeOffPages(false);
    for (const run of runs) this.insert(run);
    // Writes what was gathered first.
    this.takeOffPages(true);
  }

  /**
   * All old words are deleted, and that is written, before the new ones are added. Where a word of more than 63 bytes is deleted and added in one step, SQLite (up to
   * 3.53 at least) reads the flag of the deletion from the wrong byte: the old entry stays below the new one, and comes back once that is deleted.
   */
  private replace(runs: readonly TextsOfRun[]): void {
    const changed = runs.filter((run) => this.isChanged(run));
    for (const { trace } of changed) this.removeWords(trace, textsOf(this.select.get(trace)));
    this.takeOffPages(true);
    for (const run of changed) this.insert(run);
  }

  /** Whether it has other words than those in the file; of one that has the same, only the revision is written. */
  private isChanged({ trace, revision, texts }: TextsOfRun): boolean {
    const known = textsOf(this.select.get(trace));
    const isSame = known !== undefined && texts !== undefined && Buffer.compare(known, texts.kept) === 0;
    if (isSame) this.upsert.run(trace, revision, texts.kept);
    return !isSame;
  }

  private insert({ trace, revision, texts }: TextsOfRun): void {
    this.upsert.run(trace, revision, texts?.kept ?? null);
    if (texts !== undefined) this.insertWords.run(trace, texts.words);
  }

  /** Whether words that are taken out leave the pages they are on, or are only noted as gone. To be on whenever a transaction ends. */
  private takeOffPages(isOn: boolean): void {
    this.database.exec(`INSERT INTO search (search, rank) VALUES ('secure-delete', ${isOn ? 1 : 0})`);
  }

  private removeWords(trace: number, known: Uint8Array | undefined): void {
    if (known !== undefined) this.deleteWords.run(trace, wordsOfKept(known));
  }
}

/** Of a run that comes more than once, what was made of it last. */
function newestOfEach(runs: readonly TextsOfRun[]): TextsOfRun[] {
  const newest = new Map<number, TextsOfRun>();
  for (const run of runs) if (run.revision >= (newest.get(run.trace)?.revision ?? 0)) newest.set(run.trace, run);
  return [...newest.values()];
}

function textsOf(row: Record<string, unknown> | undefined): Uint8Array | undefined {
  return row?.texts instanceof Uint8Array ? row.texts : undefined;
}
