import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import { READ_CACHE_BYTES_MAX } from '../../limits.ts';
import { freeMemory } from '../../memory/free-memory.ts';
import type { Disk } from '../files/disk.ts';
import {
  BLOCK_BYTES_MAX,
  BLOCK_COMPRESSION_LEVEL,
  BLOCK_COMPRESSION_LEVEL_HURRIED,
  BLOCK_MERGE_FACTOR,
} from '../limits.ts';
import { type Batch, type BatchItem, BatchMerger, decodeBatch, encodeBatch } from '../log/batch.ts';
import { archiveChain, type ChainRecord, toChainRecord } from '../log/chain-archive.ts';
import { holdsBatch } from '../log/frame.ts';
import { ItemBytes, type SurroundedItem } from '../log/item-bytes.ts';
import {
  framesOf,
  type PlacedFrame,
  type ReadSegment,
  readSegment,
  salvageFrames,
  segmentPath,
} from '../log/segment-files.ts';
import { BatchSource } from './batch-source.ts';
import { buildDictionary } from './dictionary.ts';
import { BLOCKS_PER_PACK_MAX, type BlockPlace, PackWriter } from './pack-file.ts';

/** What to settle into one new pack: log segments, and packs to be written again. */
export interface SettlementPlan {
  readonly pack: number;
  readonly segments: readonly number[];
  readonly packs: readonly number[];
  /** Whether so much waits that it is to take little time, and may take more room. */
  readonly isHurried: boolean;
}

/** What was settled. */
export interface Settlement {
  readonly pack: number;
  readonly isHurried: boolean;
  /** 0 when nothing was left to be written. */
  readonly packBytes: number;
  readonly blocks: readonly { readonly place: BlockPlace; readonly trace: number; readonly ids: readonly number[] }[];
  readonly segments: readonly number[];
  /** Blocks whose items are all in the new ones. */
  readonly replaced: readonly number[];
}

const NOTHING = Buffer.alloc(0);

interface Sheaf {
  readonly trace: number;
  readonly batches: Map<Batch, BatchItem[]>;
  readonly bytes: ItemBytes;
}

interface Row {
  readonly id: number;
  readonly trace: number;
  readonly block: number;
}

/** Gathers what belongs to a trace out of log segments and older blocks, and writes it as new blocks of one pack. */
export class Settler {
  private readonly disk: Disk;
  private readonly dataDirectory: string;
  private readonly database: DatabaseSync;
  private readonly source: BatchSource;
  private readonly selectItem: StatementSync;
  private readonly blocksOfTrace: StatementSync;
  private readonly itemsOfBlock: StatementSync;
  private readonly blocksOfPack: StatementSync;
  private readonly framesOfSegment: StatementSync;

  constructor(database: DatabaseSync, disk: Disk, dataDirectory: string, memoryShare = 1) {
    this.database = database;
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    this.source = new BatchSource(database, disk, dataDirectory, (READ_CACHE_BYTES_MAX / 4) * memoryShare);
    this.selectItem = database.prepare('SELECT id, trace, block FROM item WHERE id = ?');
    this.blocksOfTrace = database.prepare(
      'SELECT id, raw_bytes FROM block WHERE trace = ? AND is_dead = 0 ORDER BY raw_bytes',
    );
    this.itemsOfBlock = database.prepare('SELECT id FROM item WHERE trace = ? AND block = ?');
    this.framesOfSegment = database.prepare('SELECT position FROM frame WHERE segment = ?');
    this.blocksOfPack = database.prepare('SELECT id, trace FROM block WHERE id BETWEEN ? AND ? AND is_dead = 0');
  }

  /** Writes the pack and keeps the chain of the segments; both are durable when this returns. */
  settle(plan: SettlementPlan): Settlement;
  /** The same; undefined, with nothing left behind, where it may not go on. */
  settle(plan: SettlementPlan, mayGoOn: () => boolean): Settlement | undefined;
  settle(plan: SettlementPlan, mayGoOn: () => boolean = () => true): Settlement | undefined {
    const { pack, segments, packs, isHurried } = plan;
    const read: ReadSegment[] = [];
    this.database.exec('BEGIN');
    try {
      const sheaves = new Map<number, Sheaf>();
      const replaced = new Set<number>();
      const records = segments.flatMap((segment) => {
        const whole = readSegment(this.disk, this.dataDirectory, segment);
        read.push(whole);
        return this.gatherSegment(whole, sheaves);
      });
      for (const old of packs) this.gatherPack(old, sheaves, replaced, mayGoOn);
      for (const sheaf of sheaves.values()) if (mayGoOn()) this.gatherOlder(sheaf, replaced);
      const written = mayGoOn() ? this.writePack(plan, [...sheaves.values()], mayGoOn) : undefined;
      if (written === undefined) return undefined;
      archiveChain(this.disk, this.dataDirectory, records);
      return { pack, isHurried, ...written, segments, replaced: [...replaced] };
    } finally {
      this.database.exec('COMMIT');
      this.source.free();
      for (const { bytes } of read) freeMemory(bytes);
    }
  }

  private gatherSegment(read: ReadSegment, sheaves: Map<number, Sheaf>): ChainRecord[] {
    const records: ChainRecord[] = [];
    for (const { frame } of this.framesOf(read)) {
      records.push(toChainRecord(frame));
      if (!holdsBatch(frame.kind)) continue;
      const batch = decodeBatch(frame.body, frame.firstId);
      for (const item of batch.items) {
        const row = this.selectItem.get(item.id) as unknown as Row | undefined;
        // Without a row it was deleted; with a block it was settled before a crash.
        if (row?.block === 0) gather(sheaves, row.trace, batch, item);
      }
    }
    return records;
  }

  /** All frames the index knows of a segment. Where one cannot be read the segment stays: nothing is dropped unseen. */
  private framesOf(read: ReadSegment): readonly PlacedFrame[] {
    const firstSequence = read.head?.sequence ?? 0;
    const expected = new Set(this.framesOfSegment.all(read.segment).map(({ position }) => Number(position)));
    for (const frames of [framesOf(read, firstSequence), salvageFrames(read, firstSequence)]) {
      const found = [...frames];
      const offsets = new Set(found.map(({ offset }) => offset));
      if ([...expected].every((offset) => offsets.has(offset))) return found;
    }
    throw new ReenactError('store-failed', 'A log segment is damaged and is kept as it is.', {
      where: segmentPath(this.dataDirectory, read.segment),
      next: 'Run `reenact store verify --data <directory>` to see what is affected, then again with --rebuild-index to go on without it.',
    });
  }

  private gatherPack(pack: number, sheaves: Map<number, Sheaf>, replaced: Set<number>, mayGoOn: () => boolean): void {
    for (const { id, trace } of this.blocksOfPack.all(
      pack * BLOCKS_PER_PACK_MAX,
      (pack + 1) * BLOCKS_PER_PACK_MAX - 1,
    )) {
      if (!mayGoOn()) return;
      this.gatherBlock(Number(trace), Number(id), sheaves, replaced);
    }
  }

  private gatherBlock(trace: number, block: number, sheaves: Map<number, Sheaf>, replaced: Set<number>): void {
    for (const { id } of this.itemsOfBlock.all(trace, block)) {
      const { batch, byId } = this.source.open(Number(id), block);
      const item = byId.get(Number(id));
      if (item !== undefined) gather(sheaves, trace, batch, item);
    }
    replaced.add(block);
  }

  /** Merges blocks that are not much larger than what is new: a trace of many hours then has few blocks, each written few times. */
  private gatherOlder(sheaf: Sheaf, replaced: Set<number>): void {
    for (const row of this.blocksOfTrace.all(sheaf.trace)) {
      const block = Number(row.id);
      const rawBytes = Number(row.raw_bytes);
      if (replaced.has(block)) continue;
      if (rawBytes > sheaf.bytes.total * BLOCK_MERGE_FACTOR || rawBytes + sheaf.bytes.total > BLOCK_BYTES_MAX) return;
      this.gatherBlock(sheaf.trace, block, new Map([[sheaf.trace, sheaf]]), replaced);
    }
  }

  private writePack(
    { pack, isHurried }: SettlementPlan,
    sheaves: readonly Sheaf[],
    mayGoOn: () => boolean,
  ): Pick<Settlement, 'packBytes' | 'blocks'> | undefined {
    const pieces = sheaves.flatMap((sheaf) => cutSheaf(sheaf));
    if (pieces.length === 0) return { packBytes: 0, blocks: [] };
    const sample = (index: number): Buffer => pieces[index]?.encode() ?? NOTHING;
    const dictionary = isHurried ? undefined : buildDictionary(pieces.length, sample);
    const level = isHurried ? BLOCK_COMPRESSION_LEVEL_HURRIED : BLOCK_COMPRESSION_LEVEL;
    const writer = new PackWriter(this.disk, this.dataDirectory, pack, { dictionary, level, isHurried });
    const blocks: Settlement['blocks'][number][] = [];
    try {
      for (const { trace, ids, encode } of pieces) {
        if (!mayGoOn()) {
          writer.abandon();
          return undefined;
        }
        const raw = encode();
        blocks.push({ place: writer.add(raw), trace, ids });
        freeMemory(raw);
      }
      writer.finish();
      return { packBytes: writer.bytes, blocks };
    } catch (thrown) {
      writer.abandon();
      throw thrown;
    }
  }
}

function gather(sheaves: Map<number, Sheaf>, trace: number, batch: Batch, item: BatchItem): void {
  const sheaf: Sheaf = sheaves.get(trace) ?? { trace, batches: new Map(), bytes: new ItemBytes() };
  sheaves.set(trace, sheaf);
  const items = sheaf.batches.get(batch);
  if (items === undefined) sheaf.batches.set(batch, [item]);
  else items.push(item);
  sheaf.bytes.add(withGroups(batch, item));
}

function withGroups({ groups }: Batch, { bytes, resource, scope }: BatchItem): SurroundedItem {
  return { bytes, resource: groups[resource], scope: groups[scope] };
}

interface Piece {
  readonly trace: number;
  readonly ids: readonly number[];
  /** Its bytes, made anew each time: those of all pieces at once would be as many as everything that is settled. */
  readonly encode: () => Buffer;
}

/** A trace in the order of receipt, in pieces that fit a block; a single item that is larger is a piece of its own, and a resource that is larger stays in one with its items. */
function cutSheaf({ trace, batches }: Sheaf): Piece[] {
  const entries = [...batches].flatMap(([batch, items]) => items.map((item) => ({ batch, item })));
  entries.sort((left, right) => left.item.id - right.item.id);
  const pieces: Piece[] = [];
  let merger: BatchMerger | undefined;
  let bytes = new ItemBytes();
  const finish = (): void => {
    if (merger === undefined) return;
    const batch = merger.finish();
    pieces.push({ trace, ids: batch.items.map(({ id }) => id), encode: () => encodeBatch(batch, 1) });
    merger = undefined;
    bytes = new ItemBytes();
  };
  for (const { batch, item } of entries) {
    const surrounded = withGroups(batch, item);
    if (merger !== undefined && bytes.isFullBefore(surrounded, BLOCK_BYTES_MAX)) finish();
    merger ??= new BatchMerger(batch.tenant);
    merger.add(batch, item);
    bytes.add(surrounded);
  }
  finish();
  return pieces;
}
