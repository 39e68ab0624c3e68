import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ReenactError } from '@reenact/trace-model/reenact-error';
import { READ_CACHE_BYTES_MAX } from '../../limits.ts';
import { freeMemory } from '../../memory/free-memory.ts';
import { INDEX_FILE } from '../database/schema.ts';
import type { Disk } from '../files/disk.ts';
import { OpenFiles } from '../files/open-files.ts';
import { type Batch, type BatchItem, decodeBatch } from '../log/batch.ts';
import { readFrame } from '../log/frame.ts';
import { segmentPath } from '../log/segment-files.ts';
import { damagedTelemetry, displacedDirectory } from '../store-error.ts';
import { PackReader, packOf, packPath } from './pack-file.ts';

/** A decoded frame or block, with its items by id. */
export interface OpenBatch {
  readonly batch: Batch;
  readonly byId: ReadonlyMap<number, BatchItem>;
}

/** Finds the bytes behind the index's rows, in the log and in packs, and remembers what was decoded last. */
export class BatchSource {
  private readonly disk: Disk;
  private readonly dataDirectory: string;
  /** The index when it was opened: another directory may come in the place of its own, whose number says nothing on some file systems. */
  private readonly index: Stats | undefined;
  private readonly cacheBytesMax: number;
  private readonly selectFrame: StatementSync;
  private readonly selectBlock: StatementSync;
  private readonly segments = new OpenFiles<number>((file) => this.disk.close(file));
  private readonly packs = new OpenFiles<PackReader>((pack) => pack.close());
  private readonly cache = new Map<string, { readonly open: OpenBatch; readonly raw: Buffer }>();
  private cacheBytes = 0;
  /** The frame that was opened last, while it is remembered. */
  private lastFrame: OpenBatch | undefined;
  /** What was remembered last before it was let go of, where somebody trims. */
  private dropped: Buffer[] | undefined;

  constructor(database: DatabaseSync, disk: Disk, dataDirectory: string, cacheBytesMax = READ_CACHE_BYTES_MAX) {
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.index = statOf(join(dataDirectory, INDEX_FILE));
    this.cacheBytesMax = cacheBytesMax;
    this.selectFrame = database.prepare(`
      SELECT first_id, segment, position, bytes FROM frame WHERE first_id <= ? ORDER BY first_id DESC LIMIT 1`);
    this.selectBlock = database.prepare('SELECT position, bytes FROM block WHERE id = ?');
  }

  /** The batch an item is in. Throws ReenactError `store-failed` when it is gone or damaged. */
  open(itemId: number, block: number): OpenBatch {
    if (block === 0) return this.openFrame(itemId);
    const key = `block ${block}`;
    return this.recall(key) ?? this.remember(key, this.readBlock(block), 1);
  }

  /** Closes files that are about to be released, and forgets what was read of them. */
  forget(segments: readonly number[], packs: readonly number[]): void {
    this.segments.close(segments);
    this.packs.close(packs);
    if (segments.length + packs.length === 0) return;
    this.dropped = undefined;
    this.cache.clear();
    this.cacheBytes = 0;
    this.lastFrame = undefined;
  }

  close(): void {
    this.forget(this.segments.numbers, this.packs.numbers);
  }

  /** The same, where nobody uses any more what this gave: its memory is given back at once. */
  free(): void {
    const known = [...this.cache.values()];
    this.close();
    for (const { raw } of known) freeMemory(raw);
  }

  /** Gives back at once the memory of what was let go of since the last call, where nobody uses any more what this gave. */
  trim(): void {
    for (const raw of this.dropped ?? []) freeMemory(raw);
    this.dropped = [];
  }

  private openFrame(itemId: number): OpenBatch {
    // Most often the next item lies beside the one before.
    if (this.lastFrame?.byId.has(itemId) === true) return this.lastFrame;
    const row = this.selectFrame.get(itemId);
    const firstId = Number(row?.first_id);
    const key = `frame ${firstId}`;
    this.lastFrame = this.recall(key) ?? this.remember(key, this.readFrame(row, itemId), firstId);
    return this.lastFrame;
  }

  private readFrame(row: Record<string, unknown> | undefined, itemId: number): Buffer {
    const segment = Number(row?.segment);
    if (row === undefined) throw missing(`item ${itemId}`);
    const path = segmentPath(this.dataDirectory, segment);
    const file = this.segments.get(segment, () => this.openOrMiss(path, () => this.disk.openRead(path)));
    const frame = readFrame(this.disk.read(file, Number(row.position), Number(row.bytes)));
    // Where the segment was released meanwhile, a frame of another life of the file may lie there.
    if (frame?.firstId !== Number(row.first_id)) throw missing(`${path} at byte ${row.position}`);
    return frame.body;
  }

  private readBlock(block: number): Buffer {
    const row = this.selectBlock.get(block);
    if (row === undefined) throw missing(`block ${block}`);
    const pack = packOf(block);
    const open = () => new PackReader(this.disk, this.dataDirectory, pack);
    const reader = this.packs.get(pack, () => this.openOrMiss(packPath(this.dataDirectory, pack), open));
    return reader.read({ offset: Number(row.position), bytes: Number(row.bytes) });
  }

  /**
   * A file that is not there will not be there later either: what was in it is gone, unlike what cannot be opened for a while. Where the whole directory
   * is away, nothing is known to be gone.
   */
  private openOrMiss<File>(path: string, open: () => File): File {
    try {
      return open();
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
      throw this.isDisplaced(dirname(path)) ? displacedDirectory(this.dataDirectory) : missing(path);
    }
  }

  private isDisplaced(folder: string): boolean {
    const now = statOf(join(this.dataDirectory, INDEX_FILE));
    const isSame = now !== undefined && now.ino === this.index?.ino && now.dev === this.index.dev;
    return !isSame || statOf(folder) === undefined;
  }

  private recall(key: string): OpenBatch | undefined {
    const known = this.cache.get(key);
    if (known === undefined) return undefined;
    this.cache.delete(key);
    this.cache.set(key, known);
    return known.open;
  }

  private remember(key: string, raw: Buffer, firstId: number): OpenBatch {
    const batch = decodeBatch(raw, firstId);
    const open = { batch, byId: new Map(batch.items.map((item) => [item.id, item])) };
    this.cache.set(key, { open, raw });
    this.cacheBytes += raw.length;
    for (const [oldest, { open: forgotten, raw: known }] of this.cache) {
      if (this.cacheBytes <= this.cacheBytesMax || oldest === key) break;
      this.cache.delete(oldest);
      if (this.lastFrame === forgotten) this.lastFrame = undefined;
      this.cacheBytes -= known.length;
      this.dropped?.push(known);
    }
    return open;
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function missing(where: string): ReenactError {
  return damagedTelemetry({ where });
}
