import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RETENTION_TIME_FILE } from '../data-directory.ts';
import { IndexState } from '../database/index-state.ts';
import { INDEX_FILE } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { verifySpanIndex } from '../index/span-index.ts';
import { isDamagedLog } from '../log/segment-log.ts';
import { BLOCKS_PER_PACK_MAX, listPacks, packOf, packPath } from '../pack/pack-file.ts';
import { searchPathOf } from '../search/open-search-file.ts';
import { verifySearchFile } from '../search/verify-search-file.ts';
import type { RebuiltIndex } from '../store.ts';
import { isDamagedDatabase, isFailedRead, toStoreError } from '../store-error.ts';
import { QUEUE_FLOORS_FILE } from '../worker/queue-floors.ts';
import { StoreWriter } from '../worker/store-writer.ts';
import { IndexRows } from './index-rows.ts';
import { failureOfReading } from './read-through.ts';
import type { StoreProblems } from './store-problem.ts';
import type { FollowedChain } from './verify-chain.ts';
import { verifyColumns } from './verify-columns.ts';
import { verifyRunTables } from './verify-run-tables.ts';
import { RETENTION_TIMES_LOST } from './verify-small-files.ts';

const INDEX_DAMAGED = 'it is damaged; --rebuild-index makes it again from the other files';
const INDEX_UNREADABLE =
  'the disk does not give all of it: look for errors of the disk in the log of the system (dmesg)';
const QUEUES_LOST =
  'neither the index nor this file says what was still to be sent on: of what has left the log nothing is queued any more';
const LOG_DAMAGED =
  'it is damaged or gone, and the index knows what was in it; --rebuild-index goes on with everything that can still be read';
const MARKS_LOST =
  'it was made again, and of chain or log frames are missing: marks of kept runs that were in them are gone, and what came with them counts as received now';

interface Parts {
  readonly problems: StoreProblems;
  /** Told what is being read. */
  readonly tell: (step: string) => void;
}

/** What the other files say. */
interface FoundElsewhere {
  readonly chain: FollowedChain;
  /** Ids found in the files, with the blocks they were found in; 0 for the log. */
  readonly found: ReadonlyMap<number, ReadonlySet<number>>;
  readonly isRetentionLost: boolean;
}

/** The index of a data directory, brought up as at every start and then held against the other files. */
export class VerifiedIndex {
  queuedAgain: RebuiltIndex['queuedAgain'] | undefined;
  private readonly directory: string;
  private readonly path: string;
  private readonly problems: StoreProblems;
  private readonly tell: Parts['tell'];
  /** Undefined before the index is open, and where it cannot be read. */
  private rows: IndexRows | undefined;
  private database: DatabaseSync | undefined;

  constructor(directory: string, { problems, tell }: Parts) {
    this.directory = directory;
    this.path = join(directory, INDEX_FILE);
    this.problems = problems;
    this.tell = tell;
  }

  /** Opening the store brings its index up to what the log holds, as at every start; then what is made of summaries is read. */
  bringUp(): void {
    let writer: StoreWriter | undefined;
    try {
      writer = new StoreWriter({ dataDirectory: this.directory, disk: systemDisk });
      this.noteRebuilt(writer.rebuilt);
      this.readRuns(writer.database);
    } catch (thrown) {
      this.reportFailure(thrown);
    } finally {
      closeQuietly(writer);
    }
  }

  /** What an index that was made again lacks. */
  noteRebuilt(rebuilt: RebuiltIndex | undefined): void {
    if (rebuilt === undefined) return;
    this.queuedAgain = rebuilt.queuedAgain;
    if (rebuilt.areQueuesLost) this.problems.add('index', join(this.directory, QUEUE_FLOORS_FILE), QUEUES_LOST);
    if (rebuilt.areFramesMissing) this.problems.add('index', this.path, MARKS_LOST);
  }

  /** From here on what is read can be compared with its rows, too. */
  openRows(): void {
    this.with((database) => {
      this.rows = new IndexRows(database);
    });
  }

  /** Compares something with the rows, where they can be read. */
  ask(question: (rows: IndexRows) => void): void {
    this.with(() => {
      if (this.rows !== undefined) question(this.rows);
    });
  }

  /** Where frames lie in a segment, in order; none where that cannot be read. */
  framesOf(segment: number): readonly number[] {
    let offsets: readonly number[] = [];
    this.ask((rows) => {
      offsets = rows.framesOf(segment);
    });
    return offsets;
  }

  /** Rows without bytes, bytes that were lost, totals that do not add up. Closes the index. */
  finish({ chain, found, isRetentionLost }: FoundElsewhere): void {
    const { path, problems } = this;
    this.tell(path);
    this.with((database) => {
      const check = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check);
      if (check !== 'ok') this.reportDamaged(` (${check})`);
      if (isRetentionLost && new IndexState(database).read('expired_ms') > 0)
        problems.add('directory', join(this.directory, RETENTION_TIME_FILE), RETENTION_TIMES_LOST);
      const missing = this.missingPacks(database);
      let rows = 0;
      for (const { id, block } of database.prepare('SELECT id, block FROM item').iterate()) {
        rows += 1;
        if (found.get(Number(id))?.has(Number(block)) === true || missing.has(packOf(Number(block)))) continue;
        problems.add('index', `item ${id}`, `its bytes are not where the index says (block ${block})`);
      }
      const kept = chain.items - chain.erased;
      if (rows !== kept && !chain.hasHoles)
        problems.add('chain', path, `the index has ${rows} items, the chain accounts for ${kept}`);
      const isWhole = problems.all.every(({ part }) => part === 'index' || part === 'search');
      this.rows?.finish(isWhole && !chain.hasHoles, missing);
      for (const { where, what } of this.rows?.others ?? []) problems.add('index', where === '' ? path : where, what);
    });
    this.database?.close();
  }

  /** Packs that the index leads to and that are gone; each is told once, whatever was in it. */
  private missingPacks(database: DatabaseSync): ReadonlySet<number> {
    const there = new Set(listPacks(systemDisk, this.directory));
    const missing = new Set<number>();
    // With a row of its own: else an item's row is wrong that names it, and no file is gone.
    const select = `SELECT pack.id, count(*) AS items FROM item JOIN pack ON pack.id = item.block / ${BLOCKS_PER_PACK_MAX} GROUP BY pack.id`;
    for (const row of database.prepare(select).iterate()) {
      const [pack, items] = [Number(row.id), Number(row.items)];
      if (there.has(pack)) continue;
      missing.add(pack);
      const what = `it is gone, and with it the ${items === 1 ? 'item' : `${items} items`} that the index knows in it`;
      this.problems.add('pack', packPath(this.directory, pack), what);
    }
    return missing;
  }

  private with(work: (database: DatabaseSync) => void): void {
    try {
      this.database ??= new DatabaseSync(this.path, { readOnly: true });
      work(this.database);
    } catch (thrown) {
      this.rows = undefined;
      this.reportFailure(thrown);
    }
  }

  /** A damaged index is something that a check finds; everything else that opening the store can say stays an error. */
  private reportFailure(thrown: unknown): void {
    if (isDamagedLog(thrown)) {
      this.problems.add('log', thrown.where ?? '', LOG_DAMAGED);
      return;
    }
    if (!isDamagedDatabase(thrown) && !isFailedRead(thrown)) throw thrown;
    if (isDamagedDatabase(thrown) || this.failure() !== undefined) this.reportDamaged('');
    else throw toStoreError(thrown, this.directory);
  }

  /** What cannot be read may be whole, so it is not told as damaged. */
  private reportDamaged(detail: string): void {
    const failure = this.failure();
    const what = failure === undefined ? `${INDEX_DAMAGED}${detail}` : `${INDEX_UNREADABLE} (${failure})`;
    this.problems.addOnce('index', this.path, what);
  }

  private failure(): string | undefined {
    return failureOfReading(this.path) ?? failureOfReading(`${this.path}-wal`);
  }

  /** What is made of summaries; the connection must be one that may write, as SQLite's own check demands. */
  private readRuns(database: DatabaseSync): void {
    for (const what of [...verifyColumns(database), ...verifySpanIndex(database), ...verifyRunTables(database)])
      this.problems.add('index', this.path, what);
    if (new IndexState(database).read('without_text') === 1) return;
    const path = searchPathOf(this.directory);
    this.tell(path);
    for (const what of verifySearchFile(database, this.directory)) this.problems.add('search', path, what);
  }
}

/** What cannot be read cannot always be closed either; the check has said so already. */
function closeQuietly(writer: StoreWriter | undefined): void {
  try {
    writer?.close();
  } catch (thrown) {
    if (!isDamagedDatabase(thrown)) throw thrown;
  }
}
