import { resolve } from 'node:path';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import { DataDirectory, needStore } from '../data-directory.ts';
import { FORMAT_VERSION_READ } from '../database/schema.ts';
import { systemDisk } from '../files/disk.ts';
import { refuseUnfinished } from '../files/unfinished-backup.ts';
import { type Batch, decodeBatch } from '../log/batch.ts';
import { readArchive, toChainRecord } from '../log/chain-archive.ts';
import { holdsBatch } from '../log/frame.ts';
import { digestAt, digestItems } from '../log/item-digest.ts';
import { listSegments, type PlacedFrame, readSegment, segmentPath } from '../log/segment-files.ts';
import { type BlockPlace, listPacks, PackReader, packDirectoryOf, packPath } from '../pack/pack-file.ts';
import { searchPathOf } from '../search/open-search-file.ts';
import { damageOfSearchFile } from '../search/verify-search-file.ts';
import { isBusyDatabase, isFullDisk, toStoreError } from '../store-error.ts';
import { knownFrames } from './known-frames.ts';
import { isReadOnly, withWritableCopy } from './read-only-directory.ts';
import { renewIndex } from './renew-index.ts';
import { type StoreProblem, StoreProblems } from './store-problem.ts';
import { FollowedChain } from './verify-chain.ts';
import { VerifiedIndex } from './verify-index.ts';
import { verifySmallFiles } from './verify-small-files.ts';

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

const SEARCH_DAMAGED = 'it is damaged; a collector that starts here makes it again from the runs';

/** Goes through one data directory; each step adds to what the next compares with. */
class Verification {
  readonly problems = new StoreProblems();
  readonly tell: (step: string) => void;
  readonly chain: FollowedChain;
  readonly index: VerifiedIndex;
  packs = 0;
  blocks = 0;
  private readonly directory: string;
  private unvouched = 0;
  private isRetentionLost = false;
  /** Ids found in the files, with the blocks they were found in; 0 for the log. */
  private readonly found = new Map<number, Set<number>>();

  constructor(directory: string, tell: (step: string) => void) {
    this.directory = directory;
    this.tell = tell;
    const { problems } = this;
    this.index = new VerifiedIndex(directory, { problems, tell });
    this.chain = new FollowedChain(problems, (body, beforeId) =>
      this.index.ask((rows) => rows.control(body, beforeId)),
    );
  }

  get items(): number {
    return this.found.size;
  }

  readChain(): void {
    this.tell('chain');
    for (const found of readArchive(systemDisk, this.directory)) {
      if ('damagedAt' in found) this.problems.add('chain', `${found.file} at byte ${found.damagedAt}`, 'it is damaged');
      else this.chain.follow(found, 'chain', `frame ${found.sequence}`);
    }
  }

  readLog(): void {
    for (const segment of listSegments(systemDisk, this.directory)) {
      const where = segmentPath(this.directory, segment);
      this.tell(where);
      const read = readSegment(systemDisk, this.directory, segment);
      if (read.head === undefined) {
        this.problems.add('log', where, 'its header is damaged');
        continue;
      }
      this.chain.goOnAt(read.head, 'log', where);
      const onDamage = (offset: number) => this.problems.add('log', `${where} at byte ${offset}`, 'it is damaged');
      const known = this.index.framesOf(segment);
      for (const { frame, offset } of knownFrames(read, read.head.sequence, known, onDamage)) {
        const record = toChainRecord(frame);
        if (!this.chain.follow(record, 'log', `${where} at byte ${offset}`)) break;
        if (holdsBatch(frame.kind)) this.noteFrame({ frame, segment, offset });
      }
    }
  }

  readPacks(): void {
    for (const pack of listPacks(systemDisk, this.directory)) {
      const where = packPath(this.directory, pack);
      this.tell(where);
      this.packs += 1;
      const reader = new PackReader(systemDisk, this.directory, pack);
      for (const found of reader.blocks()) {
        if ('damagedAt' in found) {
          this.problems.add(
            'pack',
            `${where} at byte ${found.damagedAt}`,
            found.damagedAt === 0 ? 'the head of the pack is damaged' : 'a block is damaged',
          );
          continue;
        }
        this.blocks += 1;
        const unknown = this.noteBlock(found.place, found.raw);
        if (unknown > 0) {
          this.problems.add(
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
    this.problems.add('chain', packDirectoryOf(this.directory), what);
  }

  /** What is left as it was before the store is opened, which writes some of it. */
  readSmallFiles(): void {
    this.isRetentionLost = verifySmallFiles(this.directory, this.problems).isRetentionLost;
  }

  /** The search file as it was left, before the store is opened. */
  readSearchFile(): void {
    const damage = damageOfSearchFile(this.directory);
    if (damage !== undefined)
      this.problems.add('search', searchPathOf(this.directory), `${SEARCH_DAMAGED} (${damage})`);
  }

  readIndex(): void {
    const { chain, found, isRetentionLost } = this;
    this.index.finish({ chain, found, isRetentionLost });
  }

  private noteFrame(placed: PlacedFrame): void {
    const { frame } = placed;
    this.index.ask((rows) => rows.frame(placed));
    if (frame.kind === 'items') this.note(decodeBatch(frame.body, frame.firstId), 0);
  }

  /** Gives how many of its items the chain does not know. */
  private noteBlock(place: BlockPlace, raw: Buffer): number {
    const batch = decodeBatch(raw, 1);
    const { unknown, traces } = this.note(batch, place.block);
    this.index.ask((rows) => rows.block(place, batch.items, traces));
    return unknown;
  }

  /** Notes where items were found, and gives how many of them the chain does not know, and in which traces the index has them. */
  private note(batch: Batch, block: number): { readonly unknown: number; readonly traces: ReadonlySet<number> } {
    let unknown = 0;
    const digests = digestItems(batch);
    const traces = new Set<number>();
    this.index.ask((rows) => {
      for (const [position, item] of batch.items.entries()) {
        const receivedMs = this.chain.receipts.receivedMsOf(item.id);
        const found = { tenant: batch.tenant, item, digest: digestAt(digests, position), receivedMs };
        const trace = rows.item(found);
        if (trace !== undefined) traces.add(trace);
      }
    });
    for (const [position, { id }] of batch.items.entries()) {
      const isKnown = this.chain.knows(digests, position);
      if (!isKnown && this.chain.isInHole(id)) this.unvouched += 1;
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
  refuseUnfinished(path);
  needStore(path);
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
    const { index, chain } = verification;
    if (rebuildIndex === true) index.noteRebuilt(renewIndex(path));
    // One that is to be made again with the index says nothing any more.
    if (rebuildIndex !== true) verification.readSearchFile();
    index.bringUp();
    index.openRows();
    verification.readChain();
    verification.readLog();
    verification.readPacks();
    verification.readIndex();
    const { items, packs, blocks, problems } = verification;
    const { frames, erased, head: chainHead } = chain;
    const report = { frames, items, packs, blocks, erased, problems: problems.all, chainHead };
    const { queuedAgain } = index;
    return queuedAgain === undefined ? report : { ...report, queuedAgain };
  } finally {
    directory.release();
  }
}

function takeDirectory(path: string): DataDirectory {
  try {
    return new DataDirectory(path, 'reenact store verify');
  } catch (thrown) {
    if (!isReenactError(thrown) || !isBusyDatabase(thrown.cause)) throw thrown;
    throw new ReenactError(thrown.code, thrown.message, {
      where: path,
      next: 'Stop the collector, or make a backup beside it (`reenact store backup <directory>`) and verify that.',
      cause: thrown,
    });
  }
}

function olderFormat({ version, path }: DataDirectory): ReenactError {
  return new ReenactError('unsupported', `The data directory has format version ${version}.`, {
    where: path,
    next: 'Start this version of the collector on it once, which takes it over.',
  });
}
