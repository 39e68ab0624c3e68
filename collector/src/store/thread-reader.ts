import type { DatabaseSync } from 'node:sqlite';
import { isReenactError } from '@reenact/trace-model/reenact-error';
import { READ_CACHE_BYTES_MAX } from '../limits.ts';
import { IndexState } from './database/index-state.ts';
import { type Disk, systemDisk } from './files/disk.ts';
import { ItemReader, type ListedSpans } from './index/item-reader.ts';
import { openIndexForReading } from './index/open-index.ts';
import { BatchSource } from './pack/batch-source.ts';
import type { ComparedSpan, SpanReference, StoredItem, StoredSpan, ThreadAccess } from './store.ts';
import { toStoreError } from './store-error.ts';

/** A file that is released while it is read is not where the next snapshot of the index leads to: what is gone there, too, is gone for good. */
const ATTEMPTS_MAX = 3;

/**
 * Reads a store from another thread than that of its object. Nobody asks it before files are released: what it finds is checked, and read again
 * by a newer snapshot of the index where it is not what was looked for.
 */
export class ThreadReader {
  private readonly access: ThreadAccess;
  private readonly database: DatabaseSync;
  private readonly source: BatchSource;
  private readonly items: ItemReader;
  private readonly state: IndexState;

  /** Throws ReenactError `store-failed` when the store cannot be read. Tests give a disk of their own. */
  constructor(access: ThreadAccess, disk: Disk = systemDisk) {
    this.access = access;
    const { memoryShare = 1 } = access;
    this.database = openIndexForReading(access.dataDirectory, memoryShare);
    this.source = new BatchSource(this.database, disk, access.dataDirectory, (READ_CACHE_BYTES_MAX / 8) * memoryShare);
    this.items = new ItemReader(this.database, this.source);
    this.state = new IndexState(this.database);
  }

  /** As `Store.readTrace`, up to so many bytes; undefined where the trace has more. */
  readTrace(tenant: string, traceId: string, bytesMax = Number.POSITIVE_INFINITY): readonly ComparedSpan[] | undefined {
    return this.read(() => this.items.readSmallTrace(tenant, traceId, bytesMax));
  }

  /** What a trace holds; no more than so many of its spans are named. */
  listSpans(tenant: string, traceId: string, limit: number): ListedSpans {
    return this.read(() => this.items.listFirstSpans(tenant, traceId, limit));
  }

  /** The ids of the spans of a trace, also where what they lead to is damaged. */
  spanIds(tenant: string, traceId: string): readonly string[] {
    return this.read(() => this.items.spanIds(tenant, traceId));
  }

  /** As `Store.readSpans`. */
  readSpans(references: readonly SpanReference[], bytesMax: number): readonly StoredSpan[] {
    return this.read(() => this.items.readSpans(references, bytesMax));
  }

  /** As `Store.readLogs`, up to so many bytes; undefined where the trace has more. */
  readLogs(tenant: string, traceId: string, bytesMax = Number.POSITIVE_INFINITY): readonly StoredItem[] | undefined {
    return this.read(() => this.items.readFewLogs(tenant, traceId, bytesMax));
  }

  /** Gives back the memory of what was read longest ago, where nobody uses any more what was read. */
  trim(): void {
    this.source.trim();
  }

  /** Lets go of files and of what was read: what is deleted does not stay on the disk because this has it open. */
  rest(): void {
    this.source.close();
  }

  /** The same, where nobody uses any more what was read: its memory is given back at once. */
  free(): void {
    this.source.free();
  }

  /** What is moved again and again while it is read is read as often: only attempts in a row between which nothing was moved count. */
  private read<Result>(query: () => Result): Result {
    try {
      return this.readInPlace(query);
    } catch (thrown) {
      throw toStoreError(thrown, this.access.dataDirectory);
    }
  }

  private readInPlace<Result>(query: () => Result): Result {
    let moves = this.state.read('next_pack');
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.database.exec('BEGIN');
        try {
          return query();
        } finally {
          this.database.exec('COMMIT');
        }
      } catch (thrown) {
        this.rest();
        const isGone = isReenactError(thrown) || (thrown instanceof Error && 'syscall' in thrown);
        const movesNow = this.state.read('next_pack');
        if (movesNow > moves) attempt = 0;
        moves = movesNow;
        if (!isGone || attempt === ATTEMPTS_MAX) throw thrown;
      }
    }
  }
}
