import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { inTransaction } from '../database/in-transaction.ts';
import type { IndexState } from '../database/index-state.ts';
import type { Disk } from '../files/disk.ts';
import {
  DEAD_PACK_SHARE,
  SETTLE_AGE_MS,
  SETTLE_BYTES_MAX,
  SETTLE_HURRY_LOG_BYTES,
  SETTLE_LOG_BYTES,
  SMALL_PACK_BYTES,
  SMALL_PACKS_MAX,
} from '../limits.ts';
import { chainDirectoryOf } from '../log/chain-archive.ts';
import { listSegments } from '../log/segment-files.ts';
import { FRAMES_START_BYTES } from '../log/segment-header.ts';
import type { SegmentLog } from '../log/segment-log.ts';
import { BLOCKS_PER_PACK_MAX, lacksDictionary, listPacks, packDirectoryOf, packPath } from '../pack/pack-file.ts';
import type { Settlement, SettlementPlan } from '../pack/settler.ts';
import type { QueueFloors } from './queue-floors.ts';

/** What can be let go of once no reader holds it. */
export interface Releasable {
  readonly segments: readonly number[];
  readonly packs: readonly number[];
}

/** How urgent a settlement is: only what is due, or everything there is. */
export type SettleScope = 'due' | 'everything';

/** Log bytes that wait: from where on they are settled before they have aged, and from where on in a hurry. */
export interface SettleThresholds {
  readonly logBytes: number;
  readonly hurryLogBytes: number;
}

/** In `is_hurried`, beside 0 and 1: an earlier version made it, and did not say. */
const MAYBE_HURRIED = 2;

/** In `is_erasing`, beside 0 to 2: it was not booked to its end, so that it holds what nobody finds there. */
const UNFINISHED = 3;

const INSERT_BLOCK = `
INSERT INTO block (id, trace, position, bytes, raw_bytes, first_item, last_item) VALUES (?, ?, ?, ?, ?, ?, ?)`;

const USUAL_THRESHOLDS: SettleThresholds = { logBytes: SETTLE_LOG_BYTES, hurryLogBytes: SETTLE_HURRY_LOG_BYTES };

interface Parts {
  readonly database: DatabaseSync;
  readonly state: IndexState;
  readonly log: SegmentLog;
  readonly disk: Disk;
  readonly dataDirectory: string;
  /** Which part of the usual number of bytes is settled in one go. */
  readonly segmentShare: number;
  readonly settleAt?: SettleThresholds | undefined;
  readonly queueFloors: QueueFloors;
}

interface SealedSegment {
  readonly segment: number;
  readonly bytes: number;
}

const ITEMS_PER_STEP = 1000;
const PACK_CHECK_INTERVAL_MS = 60_000;

type SettledBlock = Settlement['blocks'][number];

/** Items of one block that are booked together. */
interface Booking {
  readonly block: SettledBlock;
  readonly ids: readonly number[];
  readonly isFirst: boolean;
}

/** Decides what is settled next, and books in the index what was. */
export class SettlementBook {
  private readonly parts: Parts;
  private readonly bytesMax: number;
  private readonly settleAt: SettleThresholds;
  private readonly moveItem: StatementSync;
  private readonly insertBlock: StatementSync;
  private readonly sealedAt = new Map<number, number>();
  private filledAt: number | undefined;
  private packsCheckedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.parts = parts;
    this.bytesMax = SETTLE_BYTES_MAX * parts.segmentShare;
    this.settleAt = parts.settleAt ?? USUAL_THRESHOLDS;
    this.moveItem = parts.database.prepare('UPDATE item SET block = ? WHERE id = ?');
    this.insertBlock = parts.database.prepare(INSERT_BLOCK);
    parts.disk.makeDirectory(packDirectoryOf(parts.dataDirectory));
    this.removeLeftovers();
    if (parts.state.read('booking_pack') !== 0) inTransaction(parts.database, false, () => this.replaceUnfinished(0));
    this.lookAtEarlierPacks();
  }

  /** Ends the current segment, unless it is empty, and gives the last that has ended: everything received so far is in these. */
  seal(): number {
    this.filledAt = undefined;
    return this.parts.log.seal() - 1;
  }

  /**
   * What to settle now, by a clock that never goes back; undefined when nothing is due. Seals the current segment where that is due. `upTo`: the last segment that counts
   * for everything; without it, whatever is there now.
   */
  plan(scope: SettleScope, nowMs: number, upTo?: number): SettlementPlan | undefined {
    const { log } = this.parts;
    log.checkPlace();
    const isFilled = log.position.offset > FRAMES_START_BYTES;
    this.filledAt = isFilled ? (this.filledAt ?? nowMs) : undefined;
    const isAged = isFilled && nowMs - (this.filledAt ?? nowMs) >= SETTLE_AGE_MS;
    if (scope === 'due' ? isAged : upTo === undefined) this.seal();
    const sealed = this.sealedSegments();
    const segments =
      scope === 'due'
        ? this.dueSegments(sealed, nowMs)
        : this.inOneGo(sealed, ({ segment }) => segment <= (upTo ?? segment));
    const packs = segments.length > 0 && scope === 'due' ? [] : this.duePacks(scope, nowMs);
    if (segments.length + packs.length === 0) return undefined;
    return { pack: this.nextPack(), segments, packs, isHurried: bytesOf(sealed) > this.settleAt.hurryLogBytes };
  }

  /**
   * Plans to compress again, as it would have been with time, the oldest pack that was made in a hurry, and behind these the oldest that may have been;
   * undefined where there is none but those named.
   */
  planAgain(without: readonly number[]): SettlementPlan | undefined {
    const select = 'SELECT id FROM pack WHERE is_hurried <> 0 ORDER BY is_hurried, id';
    const packs = this.parts.database.prepare(select).all();
    const oldest = packs.map(({ id }) => Number(id)).find((id) => !without.includes(id));
    if (oldest === undefined) return undefined;
    return { pack: this.nextPack(), segments: [], packs: [oldest], isHurried: false };
  }

  private nextPack(): number {
    const { database, state } = this.parts;
    const pack = state.read('next_pack') + 1;
    inTransaction(database, false, () => state.write('next_pack', pack));
    return pack;
  }

  /** Books a settlement in steps between which appends may run; the last one is synced. Gives what can be released. */
  *apply({ pack, packBytes, isHurried, blocks, segments, replaced }: Settlement): Generator<undefined, Releasable> {
    const { database, state } = this.parts;
    inTransaction(database, false, () => {
      database
        .prepare('INSERT OR REPLACE INTO pack (id, bytes, is_hurried) VALUES (?, ?, ?)')
        .run(pack, packBytes, isHurried ? 1 : 0);
      this.replaceUnfinished(pack);
    });
    let isErasing = false;
    for (const step of stepsOf(blocks)) {
      yield;
      const left = inTransaction(database, false, () => this.move(step));
      if (left > 0) isErasing = true;
    }
    return inTransaction(database, true, () => {
      const bury = database.prepare('UPDATE block SET is_dead = 1 WHERE id = ?');
      for (const block of replaced) bury.run(block);
      for (const segment of segments) database.prepare('DELETE FROM frame WHERE segment = ?').run(segment);
      state.write('booking_pack', 0);
      const last = segments.at(-1);
      if (last !== undefined) state.write('settled_segment', last);
      // Something was deleted while it was settled: its bytes are in the new pack, which is therefore written again.
      if (isErasing) this.dropEmptyBlocks(pack);
      if (isErasing) database.prepare('UPDATE pack SET is_erasing = 1 WHERE id = ?').run(pack);
      return { segments, packs: this.dropEmptyPacks() };
    });
  }

  /** Begins with a pack. One that was begun and never ended, by a crash or an error, holds more than leads to it, and is written again: a deletion would miss that. */
  private replaceUnfinished(pack: number): void {
    const { database, state } = this.parts;
    database
      .prepare(`UPDATE pack SET is_erasing = ${UNFINISHED} WHERE id = ? AND is_erasing <> 1`)
      .run(state.read('booking_pack'));
    state.write('booking_pack', pack);
  }

  /** Has items lead to their new blocks, and gives how many of them are there no more. */
  private move(step: readonly Booking[]): number {
    let left = 0;
    for (const { block, ids, isFirst } of step) {
      const { place, trace } = block;
      for (const id of ids) if (this.moveItem.run(place.block, id).changes === 0) left += 1;
      if (!isFirst) continue;
      // They are in the order of their ids.
      const [first = null, last = first] = [block.ids[0], block.ids.at(-1)];
      this.insertBlock.run(place.block, trace, place.offset, place.bytes, place.rawBytes, first, last);
    }
    return left;
  }

  /** Removes files that nothing refers to any more. */
  release({ segments, packs }: Releasable): void {
    const { log, disk, dataDirectory, state, queueFloors } = this.parts;
    if (segments.length > 0) queueFloors.write();
    const eraseUpTo = state.read('erase_segment');
    for (const segment of segments) {
      log.release(segment, segment <= eraseUpTo);
      this.sealedAt.delete(segment);
    }
    for (const pack of packs) disk.remove(packPath(dataDirectory, pack));
    if (packs.length > 0) disk.syncDirectory(packDirectoryOf(dataDirectory));
  }

  private sealedSegments(): SealedSegment[] {
    const { database, state, disk, dataDirectory, log } = this.parts;
    const settled = state.read('settled_segment');
    const select = database.prepare('SELECT sum(bytes) AS bytes FROM frame WHERE segment = ?');
    return listSegments(disk, dataDirectory)
      .filter((segment) => segment > settled && segment < log.position.segment)
      .map((segment) => ({ segment, bytes: Number(select.get(segment)?.bytes ?? 0) }));
  }

  /** Segments are settled oldest first and without gaps, so that one number says how far settling has come. */
  private dueSegments(sealed: readonly SealedSegment[], nowMs: number): number[] {
    let waiting = bytesOf(sealed);
    return this.inOneGo(sealed, ({ segment, bytes }) => {
      const sealedAt = this.sealedAt.get(segment) ?? nowMs;
      this.sealedAt.set(segment, sealedAt);
      const isDue = waiting > this.settleAt.logBytes || nowMs - sealedAt >= SETTLE_AGE_MS;
      waiting -= bytes;
      return isDue;
    });
  }

  /** The first of these segments that are due, as many as are settled in one go. */
  private inOneGo(sealed: readonly SealedSegment[], isDue: (segment: SealedSegment) => boolean): number[] {
    let bytes = 0;
    const due: number[] = [];
    for (const segment of sealed) {
      if (!isDue(segment) || (due.length > 0 && bytes + segment.bytes > this.bytesMax)) break;
      due.push(segment.segment);
      bytes += segment.bytes;
    }
    return due;
  }

  /** Packs with something to erase, else those that are mostly dead, else small ones when there are many. */
  private duePacks(scope: SettleScope, nowMs: number): number[] {
    const { database } = this.parts;
    const select = `SELECT 1 FROM pack WHERE is_erasing IN (1, ${UNFINISHED}) LIMIT 1`;
    const erasing = database.prepare(select).get() !== undefined;
    if (!erasing && scope === 'due' && nowMs - this.packsCheckedAt < PACK_CHECK_INTERVAL_MS) return [];
    this.packsCheckedAt = nowMs;
    const rows = database
      .prepare(`
        SELECT pack.id, pack.bytes, pack.is_erasing, total(block.bytes) AS live, total(block.raw_bytes) AS raw
        FROM pack LEFT JOIN block ON block.id BETWEEN pack.id * ${BLOCKS_PER_PACK_MAX} AND pack.id * ${BLOCKS_PER_PACK_MAX} + ${BLOCKS_PER_PACK_MAX - 1}
          AND block.is_dead = 0 GROUP BY pack.id ORDER BY pack.id`)
      .all()
      .map(({ id, bytes, is_erasing, live, raw }) => ({
        id: Number(id),
        bytes: Number(bytes),
        isErasing: is_erasing === 1 || is_erasing === UNFINISHED,
        live: Number(live),
        raw: Number(raw),
      }));
    // Of any two both fit into one go: of what is compressed to a fraction, one alone would be written again for ever and be as small as before.
    const small = rows.filter(({ bytes, raw }) => bytes < SMALL_PACK_BYTES && raw <= this.bytesMax / 2);
    const wanted = [
      rows.filter(({ isErasing }) => isErasing),
      rows.filter(
        ({ bytes, live }) => live === 0 || (live < bytes * (1 - DEAD_PACK_SHARE) && bytes >= SMALL_PACK_BYTES),
      ),
      small.length >= SMALL_PACKS_MAX ? small : [],
    ].find(({ length }) => length > 0);
    let raw = 0;
    return (wanted ?? []).flatMap(({ id, raw: size }, index) => {
      raw += size;
      return index > 0 && raw > this.bytesMax ? [] : [id];
    });
  }

  /** Blocks of one pack that no item is in. */
  private dropEmptyBlocks(pack: number): void {
    this.parts.database
      .prepare(`
        DELETE FROM block WHERE id BETWEEN ? AND ?
        AND NOT EXISTS (SELECT 1 FROM item WHERE item.trace = block.trace AND item.block = block.id)`)
      .run(pack * BLOCKS_PER_PACK_MAX, pack * BLOCKS_PER_PACK_MAX + BLOCKS_PER_PACK_MAX - 1);
  }

  private dropEmptyPacks(): number[] {
    const { database } = this.parts;
    const removeBlocks = database.prepare('DELETE FROM block WHERE id BETWEEN ? AND ?');
    const packs = database
      .prepare(`
        DELETE FROM pack WHERE NOT EXISTS (
          SELECT 1 FROM block WHERE block.is_dead = 0
          AND block.id BETWEEN pack.id * ${BLOCKS_PER_PACK_MAX} AND pack.id * ${BLOCKS_PER_PACK_MAX} + ${BLOCKS_PER_PACK_MAX - 1}
        ) RETURNING id`)
      .all()
      .map(({ id }) => Number(id));
    for (const pack of packs)
      removeBlocks.run(pack * BLOCKS_PER_PACK_MAX, pack * BLOCKS_PER_PACK_MAX + BLOCKS_PER_PACK_MAX - 1);
    return packs;
  }

  /** Earlier versions did not note what was made in a hurry. What has no dictionary may have been, or shares nothing: once, with time, it is tried. */
  private lookAtEarlierPacks(): void {
    const { database, disk, dataDirectory, state } = this.parts;
    if (state.read('packs_looked_at') === 1) return;
    const packs = database.prepare('SELECT id FROM pack WHERE is_hurried = 0').all();
    const plain = packs.map(({ id }) => Number(id)).filter((pack) => lacksDictionary(disk, dataDirectory, pack));
    inTransaction(database, false, () => {
      const mark = database.prepare('UPDATE pack SET is_hurried = ? WHERE id = ?');
      for (const pack of plain) mark.run(MAYBE_HURRIED, pack);
      state.write('packs_looked_at', 1);
    });
  }

  /**
   * What a settlement left behind when the process ended in the middle of it: the log still holds those items. A file that something in the index still leads to is
   * never that: where one row was damaged it would take everything else with it.
   */
  private removeLeftovers(): void {
    const { database, disk, dataDirectory, log, state } = this.parts;
    const known = new Set(
      database
        .prepare('SELECT id FROM pack')
        .all()
        .map(({ id }) => Number(id)),
    );
    const hasBlocks = database.prepare('SELECT 1 FROM block WHERE id BETWEEN ? AND ? LIMIT 1');
    const isLedTo = (pack: number) =>
      hasBlocks.get(pack * BLOCKS_PER_PACK_MAX, pack * BLOCKS_PER_PACK_MAX + BLOCKS_PER_PACK_MAX - 1) !== undefined;
    const packs = listPacks(disk, dataDirectory).filter((pack) => !known.has(pack) && !isLedTo(pack));
    const settled = state.read('settled_segment');
    const hasFrames = database.prepare('SELECT 1 FROM frame WHERE segment = ? LIMIT 1');
    const segments = listSegments(disk, dataDirectory).filter(
      (segment) => segment <= settled && hasFrames.get(segment) === undefined,
    );
    this.release({ segments: segments.filter((segment) => segment < log.position.segment), packs });
    for (const directory of [packDirectoryOf(dataDirectory), chainDirectoryOf(dataDirectory)]) {
      for (const name of disk.list(directory)) if (name.endsWith('.part')) disk.remove(`${directory}/${name}`);
    }
    const newest = Math.max(state.read('next_pack'), ...known, ...packs.map((pack) => pack));
    if (newest > state.read('next_pack')) inTransaction(database, false, () => state.write('next_pack', newest));
  }
}

function bytesOf(segments: readonly SealedSegment[]): number {
  return segments.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** What is booked in one commit: of a large block some of its items, of small blocks as many as come to so many rows. */
function* stepsOf(blocks: readonly SettledBlock[]): Generator<readonly Booking[]> {
  let step: Booking[] = [];
  let rows = 0;
  for (const block of blocks) {
    for (let from = 0; from < block.ids.length; from += ITEMS_PER_STEP) {
      const ids = block.ids.slice(from, from + ITEMS_PER_STEP);
      if (rows > 0 && rows + ids.length > ITEMS_PER_STEP) {
        yield step;
        step = [];
        rows = 0;
      }
      step.push({ block, ids, isFirst: from === 0 });
      rows += ids.length + 1;
    }
  }
  if (step.length > 0) yield step;
}
