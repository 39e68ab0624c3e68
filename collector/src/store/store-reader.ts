import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { IndexState } from './database/index-state.ts';
import { SPARE_FILE } from './disk-spare.ts';
import { systemDisk } from './files/disk.ts';
import { reserveSharedMemory } from './files/reserve-shared-memory.ts';
import { DriftIndex } from './index/drift-index.ts';
import { ForwardQueue } from './index/forward-queue.ts';
import { ItemReader } from './index/item-reader.ts';
import { openIndexForReading } from './index/open-index.ts';
import { RunIndex } from './index/run-index.ts';
import { COLD_TALLY } from './index/run-tables.ts';
import { BatchSource } from './pack/batch-source.ts';
import { searchPathOf } from './search/open-search-file.ts';
import type { StoreStats, ThreadAccess } from './store.ts';
import { toStoreError } from './store-error.ts';

/** Reads a data directory beside its writer. */
export class StoreReader {
  readonly items: ItemReader;
  readonly runs: RunIndex;
  readonly drift: DriftIndex;
  readonly queue: ForwardQueue;
  readonly source: BatchSource;
  readonly database: DatabaseSync;
  /** Whether content can be searched; decided when the writer opened the index. The search file is then attached as `text`. */
  readonly keepsText: boolean;
  private readonly dataDirectory: string;
  private readonly state: IndexState;

  /** `cacheBytesMax`: what is remembered of decoded pieces. */
  constructor({ dataDirectory, memoryShare }: ThreadAccess, cacheBytesMax?: number) {
    this.dataDirectory = dataDirectory;
    this.database = openIndexForReading(dataDirectory, memoryShare);
    this.state = new IndexState(this.database);
    this.keepsText = this.state.read('without_text') === 0;
    if (this.keepsText) this.database.prepare('ATTACH ? AS text').run(searchPathOf(dataDirectory));
    this.source = new BatchSource(this.database, systemDisk, dataDirectory, cacheBytesMax);
    this.items = new ItemReader(this.database, this.source);
    this.runs = new RunIndex(this.database, this.keepsText);
    this.drift = new DriftIndex(this.database);
    this.queue = new ForwardQueue(this.database, this.items);
  }

  /**
   * Reads within one snapshot of the index: what a row points at is there until this returns, because the writer
   * releases files only after this thread has agreed.
   */
  read<Result>(query: () => Result): Result {
    try {
      this.database.exec('BEGIN');
      try {
        return query();
      } finally {
        this.database.exec('COMMIT');
      }
    } catch (thrown) {
      throw toStoreError(thrown, this.dataDirectory);
    }
  }

  /** To be called before other connections to the search file are made, by the one that stays for as long as the store is open. */
  reserveSearchMemory(): void {
    if (!this.keepsText) return;
    this.read(() => {
      // Nothing is shared before the first reading.
      this.database.prepare('SELECT 1 FROM text.state').get();
      reserveSharedMemory(searchPathOf(this.dataDirectory));
    });
  }

  /** Whether bytes of what was deleted are still to leave the disk. */
  isErasing(): boolean {
    const erasing = this.database.prepare('SELECT 1 FROM pack WHERE is_erasing = 1 LIMIT 1').get();
    if (erasing !== undefined || this.state.read('scrub_due') === 1) return true;
    return this.state.read('erase_segment') > this.state.read('settled_segment');
  }

  /** How many packs were compressed in a hurry and wait to be compressed again. */
  hurriedPacks(): number {
    return Number(this.database.prepare('SELECT count(*) AS packs FROM pack WHERE is_hurried = 1').get()?.packs);
  }

  /** What the index counts, and the size of all files. */
  figures(): Omit<StoreStats, 'commits' | 'appends' | 'lastCommitMs' | 'backgroundError' | 'refusal'> {
    const tally = this.database.prepare('SELECT name, count FROM tally WHERE count > 0 ORDER BY name').all();
    const counts = tally.map(({ name, count }) => [String(name), Number(count)] as const);
    const last = this.database.prepare('SELECT max(received_ms) AS ms FROM trace').get();
    const unsettled = this.database.prepare('SELECT total(bytes) AS bytes FROM frame').get();
    return {
      unsettledBytes: Number(unsettled?.bytes),
      hurriedPacks: this.hurriedPacks(),
      spans: this.state.read('spans'),
      traces: this.state.read('traces'),
      logRecords: this.state.read('logRecords'),
      coldTraces: counts.find(([name]) => name === COLD_TALLY)?.[1] ?? 0,
      coldByCause: Object.fromEntries(
        counts
          .filter(([name]) => name !== COLD_TALLY)
          .map(([name, count]) => [name.slice(COLD_TALLY.length + 1), count]),
      ),
      ...(typeof last?.ms === 'number' ? { lastReceiptMs: last.ms } : {}),
      ...(this.state.read('expired_ms') > 0 ? { lastExpireMs: this.state.read('expired_ms') } : {}),
      bytes: directoryBytes(this.dataDirectory),
      diskFreeBytes: systemDisk.space(this.dataDirectory).freeBytes,
    };
  }

  close(): void {
    this.source.close();
    this.database.close();
  }
}

/** Size of all files below a directory; what vanishes while it is read does not count. */
export function directoryBytes(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).reduce((sum, name) => {
    if (name === SPARE_FILE) return sum;
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    return sum + (stats?.isFile() === true ? stats.size : 0);
  }, 0);
}
