import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { inTransaction } from '../database/in-transaction.ts';
import { INDEX_FILE, SIGNAL_NUMBERS } from '../database/schema.ts';
import { UnusedBytes } from '../files/blank-unused.ts';
import type { Disk } from '../files/disk.ts';
import { type IndexedBatch, ItemIndex } from '../index/item-index.ts';
import { openIndex } from '../index/open-index.ts';
import { QueueWriter } from '../index/queue-writer.ts';
import { RunWriter } from '../index/run-writer.ts';
import {
  GROUP_COMMIT_BYTES_MAX,
  INDEX_LOG_BYTES_MAX,
  PROBE_INTERVAL_MS,
  PROBED_REQUEST_BYTES,
  QUEUE_DROP_ENTRIES,
  SEGMENT_BYTES,
  SEGMENT_FIRST_BYTES,
} from '../limits.ts';
import { type Batch, decodeBatch, encodeBatch, selectItems } from '../log/batch.ts';
import { digestBody } from '../log/chain-archive.ts';
import { FRAME_HEADER_BYTES, type Frame, type FrameKind, holdsBatch, nextLink, sealFrame } from '../log/frame.ts';
import { digestAt, digestContent, digestItems, digestTenant } from '../log/item-digest.ts';
import { listSegments, type PlacedFrame, removeFreeSegments, segmentPath } from '../log/segment-files.ts';
import { emptyLogHead, type LogHead } from '../log/segment-header.ts';
import { damagedLog, SegmentLog, type SegmentSizes } from '../log/segment-log.ts';
import type { TellOpening } from '../opening-step.ts';
import type { AppendResult, RebuiltIndex } from '../store.ts';
import { toStoreError } from '../store-error.ts';
import { applyControl } from './apply-control.ts';
import type { CommitFacts, WrittenSummaries } from './calls.ts';
import { type ControlBody, type ControlRequest, decodeControl, encodeControl } from './control-frame.ts';
import { DiskReserve } from './disk-reserve.ts';
import { Eraser } from './eraser.ts';
import { QueueFloors } from './queue-floors.ts';
import { rebuildIndex } from './rebuild-index.ts';
import { segmentShare } from './segment-share.ts';
import { SettlementBook, type SettleThresholds } from './settlement-book.ts';

/** What a store is opened with; tests give their own disk, small segments, and thresholds to fit. */
export interface StoreWriterOptions {
  readonly dataDirectory: string;
  readonly disk: Disk;
  readonly sizes?: SegmentSizes;
  readonly settleAt?: SettleThresholds;
  /** Takes what can still be read of a damaged log instead of refusing it; for making an index again. */
  readonly isSalvaging?: boolean;
  /** What an index that is made again said of the end of the log: no number below it is given a second time. */
  readonly floor?: LogHead;
  /** Bytes of the disk that requests leave free; none where nothing is said. */
  readonly diskReserveBytes?: number;
  readonly metricsQueueBytesMax?: number;
  /** Whether content can be searched; what was so before goes on where nothing is said. */
  readonly keepsText?: boolean;
  /** Which part of their usual size segments, what is settled in one go, and the index's cache have; 1 where nothing is said. */
  readonly memoryShare?: number;
  /** Items that wait until their span ids are entered into the index. */
  readonly spanBatchItems?: number;
  /** Told how far opening is. */
  readonly tell?: TellOpening;
}

/** Pages that the index gives back in one go, during which nothing is received. */
const VACUUMED_PAGES = 2000;

interface PreparedFrame {
  readonly kind: FrameKind;
  readonly frame: Buffer;
  readonly contentDigest: Buffer;
  readonly items: number;
}

/**
 * The one writer of a data directory: log first, index in the same step. All of its methods are synchronous, and each
 * either holds completely or throws and leaves nothing behind.
 */
export class StoreWriter {
  readonly book: SettlementBook;
  readonly eraser: Eraser;
  readonly database: DatabaseSync;
  /** What opening made again, where the index was lost. */
  readonly rebuilt: RebuiltIndex | undefined;
  private readonly queueFloors: QueueFloors;
  private readonly disk: Disk;
  private readonly dataDirectory: string;
  private readonly index: ItemIndex;
  private readonly addFrame: StatementSync;
  private readonly runs: RunWriter;
  private readonly queue: QueueWriter;
  private readonly log: SegmentLog;
  private readonly isSalvaging: boolean;
  private readonly unused: UnusedBytes;
  private commits = 0;
  private appends = 0;
  private lastCommitMs = 0;
  private refusal: string | undefined;
  /** When the disk was last seen to take what was written. */
  private provenMs = Number.NEGATIVE_INFINITY;

  constructor({
    dataDirectory,
    disk,
    sizes,
    settleAt,
    isSalvaging = false,
    floor = emptyLogHead(),
    diskReserveBytes = 0,
    metricsQueueBytesMax,
    keepsText,
    memoryShare = 1,
    spanBatchItems,
    tell = () => undefined,
  }: StoreWriterOptions) {
    this.isSalvaging = isSalvaging;
    this.disk = disk;
    this.dataDirectory = dataDirectory;
    // First of all: an index takes some room as it is opened, and on a full disk these may have all that can be had.
    removeFreeSegments(disk, dataDirectory);
    this.database = openIndex(dataDirectory, keepsText, memoryShare, tell);
    this.unused = new UnusedBytes(this.database, disk, join(dataDirectory, INDEX_FILE));
    try {
      this.index = new ItemIndex(this.database, metricsQueueBytesMax, spanBatchItems);
      this.addFrame = this.database.prepare('INSERT OR REPLACE INTO frame VALUES (?, ?, ?, ?)');
      this.runs = new RunWriter(this.database);
      this.queue = new QueueWriter(this.database);
      const reserve = new DiskReserve(disk, dataDirectory, diskReserveBytes);
      const share = segmentShare(memoryShare, disk.space(dataDirectory).totalBytes);
      this.log = new SegmentLog(this.disk, dataDirectory, sizes ?? sizesFor(share), reserve);
      this.eraser = new Eraser(this.database, this.index.state, this.index.spans);
      this.rebuilt = this.recover(floor, tell);
      this.queueFloors = new QueueFloors(this.database, disk, dataDirectory);
      this.queueFloors.write();
      this.book = new SettlementBook({
        database: this.database,
        state: this.index.state,
        log: this.log,
        disk,
        dataDirectory,
        segmentShare: share,
        settleAt,
        queueFloors: this.queueFloors,
      });
    } catch (thrown) {
      this.database.close();
      throw thrown;
    }
  }

  /** How commits have gone since the start. */
  facts(): CommitFacts {
    const { commits, appends, lastCommitMs, refusal } = this;
    return { commits, appends, lastCommitMs, ...(refusal === undefined ? {} : { refusal }) };
  }

  /** Throws where the log is no longer in its directory. */
  checkPlace(): void {
    this.log.checkPlace();
  }

  /** Throws what an append would throw now. Where one has just been written the disk is not asked again: anybody may ask for health. */
  probe(): void {
    const nowMs = performance.now();
    const isProven = this.refusal === undefined && nowMs - this.provenMs < PROBE_INTERVAL_MS;
    this.remembering(() => {
      if (isProven) return this.log.checkSpace(PROBED_REQUEST_BYTES);
      this.log.probe(PROBED_REQUEST_BYTES);
      // Another value each time, or SQLite would write nothing.
      inTransaction(this.database, false, () => this.index.state.write('probed_ms', Date.now()));
      this.provenMs = nowMs;
    });
  }

  /**
   * Makes appends durable together: one write and one sync. Each is a batch behind the headroom of a frame, its items
   * numbered from 0. Gives what became of each.
   */
  append(frames: readonly Buffer[]): AppendResult[] {
    const startedAt = performance.now();
    const results: AppendResult[] = [];
    for (let from = 0; from < frames.length; ) {
      let to = from;
      let bytes = 0;
      do {
        bytes += frames[to]?.length ?? 0;
        to += 1;
      } while (to < frames.length && bytes + (frames[to]?.length ?? 0) <= GROUP_COMMIT_BYTES_MAX);
      const group = frames.slice(from, to);
      results.push(...this.remembering(() => this.appendGroup(group)));
      this.provenMs = performance.now();
      from = to;
    }
    this.appends += frames.length;
    this.lastCommitMs = performance.now() - startedAt;
    return results;
  }

  /** Remembers whether appends are taken. */
  private remembering<Result>(append: () => Result): Result {
    try {
      const result = append();
      this.refusal = undefined;
      return result;
    } catch (thrown) {
      this.refusal = toStoreError(thrown, this.dataDirectory).message;
      throw thrown;
    }
  }

  private appendGroup(frames: readonly Buffer[]): AppendResult[] {
    this.log.checkSpace(frames.reduce((sum, { length }) => sum + length, 0));
    const receivedMs = Date.now();
    return this.commit(receivedMs, (nextId) => {
      let firstId = nextId;
      const prepared: PreparedFrame[] = [];
      const results = frames.map((frame) => {
        const batch = decodeBatch(frame.subarray(FRAME_HEADER_BYTES), firstId);
        const digests = digestItems(batch);
        const indexed = this.index.add(batch, digests, receivedMs);
        if (indexed.stored.length === 0) return indexed.result;
        const kept = prepareItems(frame, batch, digests, indexed, firstId);
        prepared.push(kept);
        firstId += kept.items;
        return indexed.result;
      });
      this.index.spans.enterDue(firstId - 1);
      return { prepared, results };
    });
  }

  /** Erases traces, keeps or lets go of a run: the intent goes to the log, the effect to the index. */
  control(request: ControlRequest): ControlBody {
    if (request.type === 'erase' && request.isUrgent) this.log.removeFree();
    const body = this.commit(Date.now(), (nextId) => {
      const { segment } = this.log.position;
      const isAll = request.type === 'erase' && request.isUrgent;
      const done = applyControl(this.eraser, request, nextId, (item) => (isAll ? segment : this.log.removeUpTo(item)));
      const content = encodeControl(done);
      const frame = Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), content]);
      const kind: FrameKind = done.type === 'erase' ? 'erasure' : 'mark';
      return { prepared: [{ kind, frame, contentDigest: digestBody(content), items: 0 }], results: done };
    });
    this.index.forget();
    return body;
  }

  /**
   * Writes the first of these summaries, at least one and as many as fit into the time, and gives how many. Their texts are in the
   * search file already, in this generation of it.
   */
  writeSummaries({ summaries, searchGeneration }: WrittenSummaries, timeMs: number): number {
    const endAt = performance.now() + timeMs;
    const { state } = this.index;
    let written = 0;
    inTransaction(this.database, false, () => {
      if (searchGeneration > state.read('search_generation')) state.write('search_generation', searchGeneration);
      for (const summarised of summaries) {
        this.runs.write(summarised, this.log.position.nextId - 1, summarised.hasOtherTexts);
        written += 1;
        if (performance.now() >= endAt) break;
      }
    });
    return written;
  }

  /** Forgets that the texts of these traces were to leave the search file. */
  forgetErasures(traces: readonly number[]): void {
    const forget = this.database.prepare('DELETE FROM text_erasure WHERE trace = ?');
    inTransaction(this.database, false, () => {
      for (const trace of traces) forget.run(trace);
    });
  }

  settleQueue(queueIds: readonly number[]): void {
    inTransaction(this.database, false, () => this.queue.settle(queueIds));
  }

  /** Drops the oldest entries of a destination, and gives how many. */
  dropQueue(destination: string): number {
    const dropped = inTransaction(this.database, false, () => this.queue.drop(destination, QUEUE_DROP_ENTRIES));
    if (dropped === 0) this.queueFloors.write();
    return dropped;
  }

  /** Copies the index's own log back into it, where it has grown; readers and the log are not held up. */
  tidyIndex(isFull: boolean): void {
    const row = this.database.prepare(`PRAGMA wal_checkpoint(${isFull ? 'TRUNCATE' : 'PASSIVE'})`).get();
    if (isFull || Number(row?.log ?? 0) * 4096 > INDEX_LOG_BYTES_MAX)
      this.database.exec(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
  }

  scrubLater(): void {
    // A deletion has them go in any case, and what follows may need the room.
    this.log.removeFree();
    inTransaction(this.database, false, () => this.index.state.write('scrub_due', 1));
  }

  /**
   * Has all packs with what retention took out be written anew where some of it has been there for long enough. Gives whether the databases are to be scrubbed,
   * be it because the last time that was broken off.
   */
  eraseExpired(nowMs: number): boolean {
    return inTransaction(this.database, false, () => {
      if (this.eraser.isExpiredDue(nowMs)) this.index.state.write('scrub_due', 1);
      return this.index.state.read('scrub_due') === 1;
    });
  }

  /** Blanks a part of what the index does not use, and gives where the next one ends; 0 once there is none. */
  scrubIndex(end: number): number {
    const next = this.unused.blank(end);
    if (next === 0) inTransaction(this.database, false, () => this.index.state.write('scrub_due', 0));
    return next;
  }

  /** Gives back files that were kept to be written again and some free pages of the index, and says how many of these are left. */
  reclaim(): number {
    this.log.removeFree();
    this.log.shrink();
    this.database.exec(`PRAGMA incremental_vacuum(${VACUUMED_PAGES})`);
    // The file becomes shorter with this.
    this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
    return Number(this.database.prepare('PRAGMA freelist_count').get()?.freelist_count ?? 0);
  }

  /** Gives back what the log has allocated ahead. */
  giveUpRoom(): void {
    this.log.giveUpRoom();
  }

  close(): void {
    if (!this.database.isOpen) return;
    this.queueFloors.write();
    this.log.close();
    this.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.database.close();
  }

  /** Index and log together: where either fails, neither holds. */
  private commit<Result>(
    receivedMs: number,
    prepare: (nextId: number) => { readonly prepared: readonly PreparedFrame[]; readonly results: Result },
  ): Result {
    let after: { readonly bytes: number; readonly head: LogHead } | undefined;
    try {
      const results = inTransaction(this.database, false, () => {
        const { prepared, results } = prepare(this.log.position.nextId);
        if (prepared.length > 0) after = this.writeFrames(prepared, receivedMs);
        return results;
      });
      if (after !== undefined) {
        this.log.advance(after.bytes, after.head);
        this.commits += 1;
      }
      return results;
    } catch (thrown) {
      this.index.forget();
      this.log.rewind();
      throw thrown;
    }
  }

  /** Inside the transaction that indexes them. */
  private writeFrames(prepared: readonly PreparedFrame[], receivedMs: number): { bytes: number; head: LogHead } {
    const bytes = prepared.reduce((sum, { frame }) => sum + frame.length, 0);
    const position = this.log.reserve(bytes);
    let head: LogHead = position;
    let offset = position.offset;
    for (const { kind, frame, contentDigest, items } of prepared) {
      const facts = { kind, sequence: head.sequence, firstId: head.nextId, receivedMs };
      const link = nextLink(head.link, facts, contentDigest);
      sealFrame(frame, { ...facts, link });
      if (items > 0) this.insertFrame(head.nextId, position.segment, offset, frame.length);
      offset += frame.length;
      head = { sequence: head.sequence + 1, nextId: head.nextId + items, link };
    }
    this.index.state.writePosition({ ...head, segment: position.segment, offset });
    this.log.write(prepared.map(({ frame }) => frame));
    return { bytes, head };
  }

  private insertFrame(firstId: number, segment: number, offset: number, bytes: number): void {
    this.addFrame.run(firstId, segment, offset, bytes);
  }

  /** Indexes what the log holds beyond the index. */
  private recover(floor: LogHead, tell: TellOpening): RebuiltIndex | undefined {
    const { index, disk, dataDirectory } = this;
    const known = index.state.readPosition();
    const [first = 1, last = first] = [listSegments(disk, dataDirectory)[0], listSegments(disk, dataDirectory).at(-1)];
    const from = known?.segment ?? first;
    const readLog = (behind: LogHead) => {
      const replay = (placed: PlacedFrame, head: LogHead) => {
        tell({ what: 'reading the log', done: placed.segment - from, total: last + 1 - from });
        return this.replay(placed, head);
      };
      this.log.recover(known, replay, this.isSalvaging, behind);
      index.state.writePosition(this.log.position);
      index.spans.enterDue(this.log.position.nextId - 1);
    };
    if (known !== undefined) this.checkSegments(known.segment);
    return inTransaction(this.database, false, () => {
      if (known !== undefined) return void readLog(floor);
      const parts = { database: this.database, index, eraser: this.eraser, disk, dataDirectory, floor, tell };
      return rebuildIndex(parts, readLog);
    });
  }

  /** What the index knows of the log must be there: nobody would else be told of what is lost, before somebody asks for it. */
  private checkSegments(last: number): void {
    const { database, disk, dataDirectory } = this;
    const segments = new Set(listSegments(disk, dataDirectory));
    const known = database.prepare('SELECT DISTINCT segment FROM frame ORDER BY segment').all();
    const missing = known.map(({ segment }) => Number(segment)).find((segment) => !segments.has(segment));
    if (missing !== undefined || segments.size === 0) throw damagedLog(segmentPath(dataDirectory, missing ?? last));
  }

  private continues(head: LogHead, frame: Frame, contentDigest: Buffer): boolean {
    return this.isSalvaging || nextLink(head.link, frame, contentDigest).equals(frame.link);
  }

  private replay({ frame, segment, offset }: PlacedFrame, head: LogHead): LogHead | undefined {
    if (frame.firstId !== head.nextId && !this.isSalvaging) return undefined;
    const next = { sequence: frame.sequence + 1, nextId: frame.firstId, link: Buffer.from(frame.link) };
    if (!holdsBatch(frame.kind)) {
      if (!this.continues(head, frame, digestBody(frame.body))) return undefined;
      applyControl(this.eraser, decodeControl(frame.body), frame.firstId, () => segment);
      this.index.forget();
      return next;
    }
    const batch = decodeBatch(frame.body, frame.firstId);
    const digests = digestItems(batch);
    const content = digestContent(digestTenant(batch.tenant), digests);
    if (!this.continues(head, frame, content)) return undefined;
    this.index.add(batch, digests, frame.receivedMs);
    this.insertFrame(frame.firstId, segment, offset, frame.bytes);
    next.nextId = (batch.items.at(-1)?.id ?? frame.firstId) + 1;
    return next;
  }
}

/** A segment is settled from memory, as a whole. */
function sizesFor(share: number): SegmentSizes {
  return { segmentBytes: Math.floor(SEGMENT_BYTES * share), firstBytes: SEGMENT_FIRST_BYTES };
}

/** Duplicates are left out of the log: what it holds is what there is. */
function prepareItems(
  frame: Buffer,
  batch: Batch,
  digests: Buffer,
  { stored }: IndexedBatch,
  firstId: number,
): PreparedFrame {
  const tenant = digestTenant(batch.tenant);
  const kind = batch.items[0]?.signal === SIGNAL_NUMBERS.metrics ? 'metrics' : 'items';
  if (stored.length === batch.items.length) {
    return { kind, frame, contentDigest: digestContent(tenant, digests), items: stored.length };
  }
  const kept = new Set(stored);
  const left = batch.items.flatMap((item, position) => (kept.has(item) ? digestAt(digests, position) : []));
  const smaller = encodeBatch(selectItems(batch, stored), firstId, FRAME_HEADER_BYTES);
  const items = (stored.at(-1)?.id ?? firstId) - firstId + 1;
  return { kind, frame: smaller, contentDigest: digestContent(tenant, Buffer.concat(left)), items };
}
