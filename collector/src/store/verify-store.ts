import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import { decodeCheckedJson } from './checked-json.ts';
import { DataDirectory, RETENTION_COPY_FILE, RETENTION_TIME_FILE } from './data-directory.ts';
import { IndexState } from './database/index-state.ts';
import { FORMAT_VERSION_READ, INDEX_FILE } from './database/schema.ts';
import { type Disk, systemDisk } from './disk.ts';
import { verifySpanIndex } from './index/span-index.ts';
import { IndexRows } from './index-rows.ts';
import { type Batch, decodeBatch } from './log/batch.ts';
import { type ChainRecord, linkAfter, readArchive, toChainRecord } from './log/chain-archive.ts';
import { holdsBatch } from './log/frame.ts';
import { countDigests, digestAt, digestItems } from './log/item-digest.ts';
import { Receipts } from './log/receipts.ts';
import { framesOf, listSegments, type PlacedFrame, readSegment, segmentPath } from './log/segment-files.ts';
import { emptyLogHead, type LogHead } from './log/segment-header.ts';
import { isDamagedLog } from './log/segment-log.ts';
import { type BlockPlace, listPacks, PackReader, packDirectoryOf, packPath } from './pack/pack-file.ts';
import { isReadOnly, withWritableCopy } from './read-only-directory.ts';
import { failureOfReading } from './read-through.ts';
import { renewIndex } from './renew-index.ts';
import { readWhole } from './replace-file.ts';
import { searchPathOf } from './search/open-search-file.ts';
import { damageOfSearchFile, verifySearchFile } from './search/verify-search-file.ts';
import type { RebuiltIndex } from './store.ts';
import { isBusyDatabase, isDamagedDatabase, isFailedRead, isFullDisk, toStoreError } from './store-error.ts';
import { refuseUnfinished } from './unfinished-backup.ts';
import { verifyRunTables } from './verify-run-tables.ts';
import { type ControlBody, decodeControl } from './worker/control-frame.ts';
import { QUEUE_FLOORS_FILE } from './worker/queue-floors.ts';
import { StoreWriter } from './worker/store-writer.ts';

/** Something in a data directory that is not as it was written. */
export interface StoreProblem {
  readonly part: 'chain' | 'log' | 'pack' | 'index' | 'search' | 'directory';
  /** A file, with the byte where that is known, or an item. */
  readonly where: string;
  readonly what: string;
}

/** What a check of a data directory found. */
export interface VerifyReport {
  readonly frames: number;
  readonly items: number;
  readonly packs: number;
  readonly blocks: number;
  /** Items that the chain knows and a deletion or retention took away. */
  readonly erased: number;
  readonly problems: readonly StoreProblem[];
  /** Link of the chain after the newest frame, hex: two stores with equal links received the same, in the same order. */
  readonly chainHead: string;
  /** By destination, how many items were queued again for an index that was lost: what had been delivered of them comes twice. */
  readonly queuedAgain?: Readonly<Record<string, number>>;
}

/** What a check does beside checking. */
export interface VerifyOptions {
  /** Makes the index again from the other files before checking it. */
  readonly rebuildIndex?: boolean;
  /** Told what is being read. */
  readonly onProgress?: (step: string) => void;
}

const DIGEST_KEY_BYTES = 16;

function digestKey(digests: Buffer, position: number): string {
  return digestAt(digests, position).toString('latin1', 0, DIGEST_KEY_BYTES);
}
const PROBLEMS_MAX = 1000;
const INDEX_DAMAGED = 'it is damaged; --rebuild-index makes it again from the other files';
const INDEX_UNREADABLE =
  'the disk does not give all of it: look for errors of the disk in the log of the system (dmesg)';
const QUEUES_LOST =
  'neither the index nor this file says what was still to be sent on: of what has left the log nothing is queued any more';
const LOG_DAMAGED =
  'it is damaged or gone, and the index knows what was in it; --rebuild-index goes on with everything that can still be read';
const CHAIN_LOST = 'the chain begins with it, and packs hold what came before';
const MARKS_LOST =
  'it was made again, and of chain or log frames are missing: marks of kept runs that were in them are gone, and what came with them counts as received now';
const SMALL_FILE_DAMAGED =
  'it is damaged; a collector that starts here goes on from what the index says, and writes it again';
const RETENTION_TIME_LOST = 'it is lost or damaged; a collector that starts here reads its copy, and writes it again';
const RETENTION_TIMES_LOST =
  'this file and its copy are lost or damaged: how the clock was set is not known any more, so a collector that starts here counts every run as received then';
const SEARCH_DAMAGED = 'it is damaged; a collector that starts here makes it again from the runs';

/** Goes through one data directory; each step adds to what the next compares with. */
class Verification {
  readonly problems: StoreProblem[] = [];
  readonly tell: (step: string) => void;
  queuedAgain: RebuiltIndex['queuedAgain'] | undefined;
  frames = 0;
  packs = 0;
  blocks = 0;
  erased = 0;
  private readonly disk: Disk = systemDisk;
  private readonly directory: string;
  /** How often the chain names each content. */
  private readonly chained = new Map<string, number>();
  private chainedItems = 0;
  private link: Buffer = emptyLogHead().link;
  private sequence = 0;
  /** The id behind the last item the chain knows. */
  private nextId = 1;
  /** Ids that frames had which are missing, each from the first up to and without the last. */
  private readonly holes: (readonly [from: number, to: number])[] = [];
  private unvouched = 0;
  private readonly receipts = new Receipts();
  /** Undefined before the index is open, and where it cannot be read. */
  private rows: IndexRows | undefined;
  private index: DatabaseSync | undefined;
  private isRetentionLost = false;
  /** Ids found in the files, with the blocks they were found in; 0 for the log. */
  private readonly found = new Map<number, Set<number>>();

  constructor(directory: string, tell: (step: string) => void) {
    this.directory = directory;
    this.tell = tell;
  }

  get items(): number {
    return this.found.size;
  }

  get chainHead(): string {
    return this.link.toString('hex');
  }

  readChain(): void {
    this.tell('chain');
    for (const found of readArchive(this.disk, this.directory)) {
      if ('damagedAt' in found) this.report('chain', `${found.file} at byte ${found.damagedAt}`, 'it is damaged');
      else this.follow(found, 'chain', `frame ${found.sequence}`);
    }
  }

  readLog(): void {
    for (const segment of listSegments(this.disk, this.directory)) {
      const where = segmentPath(this.directory, segment);
      this.tell(where);
      const read = readSegment(this.disk, this.directory, segment);
      if (read.head === undefined) {
        this.report('log', where, 'its header is damaged');
        continue;
      }
      this.goOnAt(read.head, 'log', where);
      for (const { frame, offset } of framesOf(read, read.head.sequence)) {
        const record = toChainRecord(frame);
        if (!this.follow(record, 'log', `${where} at byte ${offset}`)) break;
        if (holdsBatch(frame.kind)) this.noteFrame({ frame, segment, offset });
      }
    }
  }

  readPacks(): void {
    for (const pack of listPacks(this.disk, this.directory)) {
      const where = packPath(this.directory, pack);
      this.tell(where);
      this.packs += 1;
      const reader = new PackReader(this.disk, this.directory, pack);
      for (const found of reader.blocks()) {
        if ('damagedAt' in found) {
          this.report(
            'pack',
            `${where} at byte ${found.damagedAt}`,
            found.damagedAt === 0 ? 'the head of the pack is damaged' : 'a block is damaged',
          );
          continue;
        }
        this.blocks += 1;
        const unknown = this.noteBlock(found.place, found.raw);
        if (unknown > 0) {
          this.report(
            'pack',
            `${where} at byte ${found.place.offset}`,
            `${unknown} items are not those the chain knows`,
          );
        }
      }
      reader.close();
    }
    if (this.unvouched === 0) return;
    const what = `nothing says that ${this.unvouched} items are as they were received: the frames they came in are missing`;
    this.report('chain', packDirectoryOf(this.directory), what);
  }

  /** The small files as they were left, before the store is opened, which writes one of them. */
  readSmallFiles(): void {
    const path = (name: string) => join(this.directory, name);
    if (this.stateOf(QUEUE_FLOORS_FILE) === 'damaged')
      this.report('directory', path(QUEUE_FLOORS_FILE), SMALL_FILE_DAMAGED);
    const [file, copy] = [this.stateOf(RETENTION_TIME_FILE), this.stateOf(RETENTION_COPY_FILE)];
    // A store in which nothing was thinned out has neither, one of an earlier version no copy.
    if (file !== 'whole' && copy === 'whole') this.report('directory', path(RETENTION_TIME_FILE), RETENTION_TIME_LOST);
    else if (file === 'damaged' || (file === 'lost' && copy === 'damaged'))
      this.report('directory', path(RETENTION_TIME_FILE), RETENTION_TIMES_LOST);
    else if (copy === 'damaged') this.report('directory', path(RETENTION_COPY_FILE), SMALL_FILE_DAMAGED);
    this.isRetentionLost = file === 'lost' && copy === 'lost';
  }

  private stateOf(name: string): 'whole' | 'damaged' | 'lost' {
    const path = join(this.directory, name);
    if (!existsSync(path)) return 'lost';
    try {
      decodeCheckedJson(readWhole(this.disk, path));
      return 'whole';
    } catch {
      return 'damaged';
    }
  }

  /** The search file as it was left, before the store is opened. */
  readSearchFile(): void {
    const damage = damageOfSearchFile(this.directory);
    if (damage !== undefined) this.report('search', searchPathOf(this.directory), `${SEARCH_DAMAGED} (${damage})`);
  }

  /** Opening the store brings its index up to what the log holds, as at every start; then what is made of summaries is read. */
  bringUpIndex(): void {
    let writer: StoreWriter | undefined;
    try {
      writer = new StoreWriter({ dataDirectory: this.directory, disk: this.disk });
      this.noteRebuilt(writer.rebuilt);
      this.readRuns(writer.database);
    } catch (thrown) {
      this.reportIndex(thrown);
    } finally {
      closeQuietly(writer);
    }
  }

  noteRebuilt(rebuilt: RebuiltIndex | undefined): void {
    if (rebuilt === undefined) return;
    this.queuedAgain = rebuilt.queuedAgain;
    if (rebuilt.areQueuesLost) this.report('index', join(this.directory, QUEUE_FLOORS_FILE), QUEUES_LOST);
    if (rebuilt.areFramesMissing) this.report('index', join(this.directory, INDEX_FILE), MARKS_LOST);
  }

  /** From here on what is read is compared with the rows of the index, too. */
  openRows(): void {
    this.withIndex((database) => {
      this.rows = new IndexRows(database);
    });
  }

  /** Rows without bytes, bytes that were lost, totals that do not add up. */
  readIndex(): void {
    const path = join(this.directory, INDEX_FILE);
    this.tell(path);
    this.withIndex((database) => {
      const check = String(database.prepare('PRAGMA integrity_check(1)').get()?.integrity_check);
      if (check !== 'ok') this.reportDamagedIndex(` (${check})`);
      if (this.isRetentionLost && new IndexState(database).read('expired_ms') > 0)
        this.report('directory', join(this.directory, RETENTION_TIME_FILE), RETENTION_TIMES_LOST);
      let rows = 0;
      for (const { id, block } of database.prepare('SELECT id, block FROM item').iterate()) {
        rows += 1;
        if (this.found.get(Number(id))?.has(Number(block)) === true) continue;
        this.report('index', `item ${id}`, `its bytes are not where the index says (block ${block})`);
      }
      const kept = this.chainedItems - this.erased;
      if (rows !== kept && this.holes.length === 0)
        this.report('chain', path, `the index has ${rows} items, the chain accounts for ${kept}`);
      const isWhole = this.problems.every(({ part }) => part === 'index' || part === 'search');
      this.rows?.finish(isWhole && this.holes.length === 0);
      for (const { where, what } of this.rows?.others ?? []) this.report('index', where === '' ? path : where, what);
    });
    this.index?.close();
  }

  private withIndex(work: (database: DatabaseSync) => void): void {
    try {
      this.index ??= new DatabaseSync(join(this.directory, INDEX_FILE), { readOnly: true });
      work(this.index);
    } catch (thrown) {
      this.rows = undefined;
      this.reportIndex(thrown);
    }
  }

  /** A damaged index is something that a check finds; everything else that opening the store can say stays an error. */
  private reportIndex(thrown: unknown): void {
    if (isDamagedLog(thrown)) {
      this.report('log', thrown.where ?? '', LOG_DAMAGED);
      return;
    }
    if (!isDamagedDatabase(thrown) && !isFailedRead(thrown)) throw thrown;
    if (isDamagedDatabase(thrown) || this.indexFailure() !== undefined) this.reportDamagedIndex('');
    else throw toStoreError(thrown, this.directory);
  }

  /** What cannot be read may be whole, so it is not told as damaged. */
  private reportDamagedIndex(detail: string): void {
    const where = join(this.directory, INDEX_FILE);
    const failure = this.indexFailure();
    const what = failure === undefined ? `${INDEX_DAMAGED}${detail}` : `${INDEX_UNREADABLE} (${failure})`;
    if (!this.problems.some((known) => known.where === where && known.what === what)) this.report('index', where, what);
  }

  private indexFailure(): string | undefined {
    const index = join(this.directory, INDEX_FILE);
    return failureOfReading(index) ?? failureOfReading(`${index}-wal`);
  }

  /** What is made of summaries; the connection must be one that may write, as SQLite's own check demands. */
  private readRuns(database: DatabaseSync): void {
    const where = join(this.directory, INDEX_FILE);
    for (const what of [...verifySpanIndex(database), ...verifyRunTables(database)]) this.report('index', where, what);
    if (new IndexState(database).read('without_text') === 1) return;
    const path = searchPathOf(this.directory);
    this.tell(path);
    for (const what of verifySearchFile(database, this.directory)) this.report('search', path, what);
  }

  private report(part: StoreProblem['part'], where: string, what: string): void {
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ part, where, what });
  }

  /** Whether a frame continues the chain; one that was followed already, as after a crash, does. */
  private follow(record: ChainRecord, part: 'chain' | 'log', where: string): boolean {
    if (record.sequence <= this.sequence) return true;
    const isKnown = part === 'log' || this.goOnAt({ ...record, nextId: record.firstId }, part, where);
    if (isKnown && !linkAfter(this.link, record).equals(record.link)) {
      // In the log this is where what counts ends: what follows is left of an older life of the segment.
      if (part === 'log') return false;
      this.report(part, where, 'it does not continue the chain: something before it, or it, was changed');
    }
    if (record.sequence === this.sequence + 1) this.receipts.endAt(this.nextId, record.firstId);
    this.frames += 1;
    this.sequence = record.sequence;
    this.link = Buffer.from(record.link);
    this.nextId = record.firstId + countDigests(record.itemDigests);
    if (holdsBatch(record.kind)) this.receipts.add(record.firstId, this.nextId, record.receivedMs);
    else this.noteControl(decodeControl(record.body), record.firstId);
    if (record.kind !== 'items') return true;
    for (let position = 0; position < countDigests(record.itemDigests); position += 1) {
      const key = digestKey(record.itemDigests, position);
      this.chained.set(key, (this.chained.get(key) ?? 0) + 1);
      this.chainedItems += 1;
    }
    return true;
  }

  /** Notes what is missing before something, and gives whether it follows what is known. */
  private goOnAt({ sequence, nextId, link }: LogHead, part: 'chain' | 'log', where: string): boolean {
    const beginsLate = this.sequence === 0 && sequence === 1 && nextId > 1;
    if (sequence <= this.sequence + 1 && !beginsLate) return true;
    const first = this.sequence + 1;
    const frames = first === sequence - 1 ? `frame ${first} is` : `frames ${first} to ${sequence - 1} are`;
    this.report(part, where, beginsLate ? CHAIN_LOST : `${frames} missing before it`);
    this.holes.push([this.nextId, nextId]);
    this.sequence = sequence - 1;
    this.link = link;
    return false;
  }

  private isInHole(id: number): boolean {
    return this.holes.some(([from, to]) => id >= from && id < to);
  }

  private noteControl(body: ControlBody, beforeId: number): void {
    if (body.type === 'erase') this.erased += body.items;
    this.rows?.control(body, beforeId);
  }

  private noteFrame(placed: PlacedFrame): void {
    const { frame } = placed;
    this.withIndex(() => this.rows?.frame(placed));
    if (frame.kind === 'items') this.note(decodeBatch(frame.body, frame.firstId), 0);
  }

  /** Gives how many of its items the chain does not know. */
  private noteBlock(place: BlockPlace, raw: Buffer): number {
    const batch = decodeBatch(raw, 1);
    const { unknown, traces } = this.note(batch, place.block);
    this.withIndex(() => this.rows?.block(place, traces));
    return unknown;
  }

  /** Notes where items were found, and gives how many of them the chain does not know, and in which traces the index has them. */
  private note(batch: Batch, block: number): { readonly unknown: number; readonly traces: ReadonlySet<number> } {
    let unknown = 0;
    const digests = digestItems(batch);
    const traces = new Set<number>();
    this.withIndex(() => {
      for (const [position, item] of batch.items.entries()) {
        const receivedMs = this.receipts.receivedMsOf(item.id);
        const found = { tenant: batch.tenant, item, digest: digestAt(digests, position), receivedMs };
        const trace = this.rows?.item(found);
        if (trace !== undefined) traces.add(trace);
      }
    });
    for (const [position, { id }] of batch.items.entries()) {
      const isKnown = this.chained.has(digestKey(digests, position));
      if (!isKnown && this.isInHole(id)) this.unvouched += 1;
      else if (!isKnown) unknown += 1;
      const blocks = this.found.get(id) ?? new Set();
      this.found.set(id, blocks.add(block));
    }
    return { unknown, traces };
  }
}

/**
 * Checks every byte of a data directory that no process uses: the chain link by link, every log frame and block against
 * its checksum and the chain, and the index against both. Of one that is read-only, or on a full disk, the databases and the log
 * are copied for it. Throws
 * ReenactError `store-failed` when the directory cannot be read or is in use, `not-found` when there is none.
 */
export function verifyStore(dataDirectory: string, options: VerifyOptions = {}): VerifyReport {
  const path = resolve(dataDirectory);
  if (!existsSync(path)) {
    throw new ReenactError('not-found', 'There is no data directory.', { where: path, next: 'Name it with --data.' });
  }
  refuseUnfinished(path);
  if (options.rebuildIndex !== true && isReadOnly(path)) return verifyCopy(path, options);
  try {
    return verifyWritable(path, options);
  } catch (thrown) {
    if (!isFullDisk(thrown)) throw thrown;
    // An index that is made again has to stay.
    if (options.rebuildIndex === true) throw toStoreError(thrown, path);
    return verifyCopy(path, options);
  }
}

function verifyCopy(path: string, options: VerifyOptions): VerifyReport {
  return withWritableCopy(path, (copy) => {
    // A function, for a path may hold what `replace` reads as a pattern, as `$&`.
    const named = (where: string) => where.replace(copy, () => path);
    const report = verifyWritable(copy, { onProgress: (step) => options.onProgress?.(named(step)) });
    return { ...report, problems: report.problems.map((problem) => ({ ...problem, where: named(problem.where) })) };
  });
}

function verifyWritable(path: string, { rebuildIndex, onProgress }: VerifyOptions): VerifyReport {
  const directory = takeDirectory(path);
  try {
    if (directory.version < FORMAT_VERSION_READ) throw olderFormat(directory);
    const verification = new Verification(path, onProgress ?? (() => undefined));
    verification.readSmallFiles();
    if (rebuildIndex === true) verification.noteRebuilt(renewIndex(path));
    // One that is to be made again with the index says nothing any more.
    if (rebuildIndex !== true) verification.readSearchFile();
    verification.bringUpIndex();
    verification.openRows();
    verification.readChain();
    verification.readLog();
    verification.readPacks();
    verification.readIndex();
    const { frames, items, packs, blocks, erased, problems, chainHead, queuedAgain } = verification;
    const report = { frames, items, packs, blocks, erased, problems, chainHead };
    return queuedAgain === undefined ? report : { ...report, queuedAgain };
  } finally {
    directory.release();
  }
}

function takeDirectory(path: string): DataDirectory {
  try {
    return new DataDirectory(path);
  } catch (thrown) {
    if (!isReenactError(thrown) || !isBusyDatabase(thrown.cause)) throw thrown;
    throw new ReenactError(thrown.code, thrown.message, {
      where: path,
      next: 'Stop the collector, or make a backup beside it (`reenact store backup <directory>`) and verify that.',
      cause: thrown,
    });
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

function olderFormat({ version, path }: DataDirectory): ReenactError {
  return new ReenactError('unsupported', `The data directory has format version ${version}.`, {
    where: path,
    next: 'Start this version of the collector on it once, which takes it over.',
  });
}
