import { join } from 'node:path';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import type { Disk } from '../files/disk.ts';
import { FREE_SEGMENTS_MAX, SEGMENT_BYTES, SEGMENT_FIRST_BYTES } from '../limits.ts';
import { displacedDirectory } from '../store-error.ts';
import { findFrameStart } from './frame.ts';
import {
  framesOf,
  listFreeSegments,
  listSegments,
  logDirectoryOf,
  type PlacedFrame,
  readSegment,
  removeFreeSegments,
  salvageFrames,
  segmentPath,
} from './segment-files.ts';
import { emptyLogHead, encodeSegmentHeader, FRAMES_START_BYTES, type LogHead } from './segment-header.ts';

/** Where the next frame goes. */
export interface LogPosition extends LogHead {
  readonly segment: number;
  readonly offset: number;
}

/** How large segments are; tests make them small. */
export interface SegmentSizes {
  readonly segmentBytes: number;
  readonly firstBytes: number;
}

/** Says when the disk is too full to take more (DiskReserve). */
export interface SpaceLimit {
  isTouchedBy(bytes: number): boolean;
  refusal(): ReenactError;
}

const LOG_DAMAGED = 'The log of the data directory is damaged.';
const ZEROS = Buffer.alloc(1024 * 1024);
/** Instead of the length of a frame: nothing follows. */
const END_MARK = ZEROS.subarray(0, 4);
const USUAL_SIZES: SegmentSizes = { segmentBytes: SEGMENT_BYTES, firstBytes: SEGMENT_FIRST_BYTES };

/**
 * The segment log: frames one behind the other in files that are allocated ahead. Only one thread of one process uses
 * it. A frame counts from `advance` on, which follows `write`; what was written and not advanced over is overwritten.
 */
export class SegmentLog {
  private readonly disk: Disk;
  private readonly directory: string;
  private readonly sizes: SegmentSizes;
  private readonly spaceLimit: SpaceLimit | undefined;
  private file = -1;
  private allocatedBytes = 0;
  /** By path, the first item that a file ever held: one that is written again holds what came since. Of files that were there before nobody knows. */
  private readonly firstItems = new Map<string, number>();
  private at: LogPosition = { segment: 0, offset: 0, ...emptyLogHead() };

  constructor(disk: Disk, dataDirectory: string, sizes: SegmentSizes = USUAL_SIZES, spaceLimit?: SpaceLimit) {
    this.disk = disk;
    this.directory = dataDirectory;
    this.sizes = sizes;
    this.spaceLimit = spaceLimit;
  }

  /** Where the next frame goes. */
  get position(): LogPosition {
    return this.at;
  }

  /**
   * Opens the log behind a known position, hands over every whole frame that follows it, and continues there: what is
   * left of a torn frame is overwritten. `onFrame` gives what the log holds with a frame, or undefined where the frame
   * does not continue the chain. Throws ReenactError `store-failed` when frames are missing in between, unless it is
   * salvaging, which takes everything that can still be read. What follows is never numbered below `floor`.
   */
  recover(
    known: LogPosition | undefined,
    onFrame: (placed: PlacedFrame, head: LogHead) => LogHead | undefined,
    isSalvaging = false,
    floor: LogHead = emptyLogHead(),
  ): void {
    this.disk.makeDirectory(logDirectoryOf(this.directory));
    this.removeFree();
    const segments = listSegments(this.disk, this.directory).filter((segment) => segment >= (known?.segment ?? 0));
    let head: LogHead | undefined = known;
    /** The last whose header is damaged: what it holds stays where somebody may look for it, and the log goes on behind it. */
    let passed = 0;
    for (const [index, segment] of segments.entries()) {
      const isLast = index === segments.length - 1;
      const read = readSegment(this.disk, this.directory, segment);
      if (read.head === undefined) {
        if (isSalvaging && (!isLast || findFrameStart(read.bytes, FRAMES_START_BYTES) >= 0)) {
          passed = segment;
          continue;
        }
        if (!isSalvaging && (!isLast || segment === known?.segment || (head === undefined && segment > 1)))
          throw damagedLog(segmentPath(this.directory, segment));
        this.disk.remove(segmentPath(this.directory, segment));
        break;
      }
      head ??= read.head;
      const isKnown = segment === known?.segment;
      if (isSalvaging && read.head.sequence > head.sequence) head = read.head;
      if (!isSalvaging && !isKnown && (read.head.sequence !== head.sequence || !read.head.link.equals(head.link))) {
        throw damagedLog(segmentPath(this.directory, segment));
      }
      let offset = isKnown ? known.offset : FRAMES_START_BYTES;
      const frames = isSalvaging ? salvageFrames(read, head.sequence) : framesOf(read, head.sequence, offset);
      for (const placed of frames) {
        const next = onFrame(placed, head ?? read.head);
        if (next === undefined) break;
        head = next;
        offset = placed.offset + placed.frame.bytes;
      }
      this.at = { ...head, segment, offset };
    }
    if (this.at.segment === 0) {
      this.begin(Math.max(known?.segment ?? 0, passed), head ?? floor);
      return;
    }
    this.openCurrent();
    this.shrink();
    const isBehindAll = this.at.sequence >= floor.sequence && this.at.nextId >= floor.nextId;
    if (isBehindAll && this.at.segment > passed) return;
    const { link } = this.at.sequence >= floor.sequence ? this.at : floor;
    const sequence = Math.max(this.at.sequence, floor.sequence);
    this.begin(Math.max(this.at.segment, passed), { sequence, nextId: Math.max(this.at.nextId, floor.nextId), link });
  }

  private openCurrent(): void {
    this.file = this.disk.open(segmentPath(this.directory, this.at.segment));
    this.allocatedBytes = this.disk.size(this.file);
  }

  /**
   * Throws ReenactError `store-failed` where so many bytes more would leave the disk too full. Segments that were to be written
   * again are given up before.
   */
  checkSpace(bytes: number): void {
    if (this.spaceLimit?.isTouchedBy(this.growthBy(bytes)) !== true) return;
    this.removeFree();
    if (this.spaceLimit.isTouchedBy(this.growthBy(bytes))) throw this.spaceLimit.refusal();
  }

  /**
   * Throws what an append of so many bytes would throw now. It writes where the next frame will be, what is written there where one does
   * not count, so that a disk which takes no writes any more is found out without a request.
   */
  probe(bytes: number): void {
    this.checkPlace();
    this.checkSpace(bytes);
    if (this.at.offset + END_MARK.length > this.allocatedBytes) return;
    this.disk.write(this.file, [END_MARK], this.at.offset);
    this.disk.sync(this.file, false);
  }

  /**
   * Throws ReenactError `store-failed` where the log is no longer in its directory, as after that was removed, moved or put in place of another: the
   * system takes what is written all the same, and nobody would ever find it.
   */
  checkPlace(): void {
    const path = segmentPath(this.directory, this.at.segment);
    if (!this.disk.isAt(this.file, path)) throw displacedDirectory(path);
  }

  /** How many bytes the files of the log become longer by. */
  private growthBy(bytes: number): number {
    const end = this.at.offset + bytes;
    if (end <= this.allocatedBytes) return 0;
    if (end <= this.sizes.segmentBytes) return this.allocation(end) - this.allocatedBytes;
    const start = this.freeFiles().length > 0 ? this.sizes.segmentBytes : 0;
    return Math.max(this.sizes.firstBytes, FRAMES_START_BYTES + bytes, start) - start;
  }

  /** Makes room for so many bytes in one segment and says where they will lie. */
  reserve(bytes: number): LogPosition {
    this.checkPlace();
    const isFull = this.at.offset + bytes > this.sizes.segmentBytes && this.at.offset > FRAMES_START_BYTES;
    if (isFull) this.begin(this.at.segment, this.at);
    if (this.at.offset + bytes > this.allocatedBytes) this.allocate(this.at.offset + bytes);
    return this.at;
  }

  /** Writes frames at the position and syncs them to disk. They do not count yet. */
  write(frames: readonly Buffer[]): void {
    this.disk.write(this.file, frames, this.at.offset);
    this.disk.sync(this.file, false);
  }

  /** What was written counts now. */
  advance(bytes: number, head: LogHead): void {
    this.at = { ...head, segment: this.at.segment, offset: this.at.offset + bytes };
  }

  /** What was written does not count: nobody was told of it, so a later start must not find it. */
  rewind(): void {
    try {
      this.disk.write(this.file, [END_MARK], this.at.offset);
    } catch {
      // Where even this cannot be written, the next start may find a request that its sender was told to send again.
    }
  }

  /** Ends the current segment, unless it is empty, and gives the number of the segment that follows. */
  seal(): number {
    this.checkPlace();
    if (this.at.offset > FRAMES_START_BYTES) this.begin(this.at.segment, this.at);
    return this.at.segment;
  }

  /** Gives up a settled segment. What must be gone from the disk is removed, as is what nobody knows of how old its bytes are; the rest may be written again. */
  release(segment: number, isErased: boolean): void {
    const path = segmentPath(this.directory, segment);
    const free = this.freeFiles();
    const firstItem = this.firstItems.get(path);
    const isOneTooMany = free.length >= FREE_SEGMENTS_MAX || this.spaceLimit?.isTouchedBy(0) === true;
    if (isErased || isOneTooMany || firstItem === undefined) {
      this.firstItems.delete(path);
      this.disk.remove(path);
    } else this.rename(path, join(logDirectoryOf(this.directory), `free-${segment}`));
    this.disk.syncDirectory(logDirectoryOf(this.directory));
  }

  /**
   * Removes segments that were to be written again and may hold an item up to this one. Gives the last segment of the log that may, be it in
   * what is left of an earlier use. Files begun later go on being written again: else each pass of retention would have them all grow anew.
   */
  removeUpTo(item: number): number {
    const mayHoldIt = (path: string) => (this.firstItems.get(path) ?? 0) <= item;
    this.removeFree(mayHoldIt);
    const segments = listSegments(this.disk, this.directory);
    return Math.max(0, ...segments.filter((segment) => mayHoldIt(segmentPath(this.directory, segment))));
  }

  /** Removes segments that were to be written again: they still hold what was once in them. */
  removeFree(isMeant: (path: string) => boolean = () => true): void {
    for (const path of removeFreeSegments(this.disk, this.directory, isMeant)) this.firstItems.delete(path);
  }

  /** Gives back the room behind the current segment where nothing is in it: a file that is written again is as long as it ever was. */
  shrink(): void {
    if (this.at.offset > FRAMES_START_BYTES || this.allocatedBytes <= FRAMES_START_BYTES) return;
    this.disk.truncate(this.file, FRAMES_START_BYTES);
    this.allocatedBytes = FRAMES_START_BYTES;
    this.disk.sync(this.file, true);
  }

  /**
   * Gives back everything that is not yet written to: segments that were to be written again, and what is allocated behind the position. What is
   * written next has to allocate anew, so that this is for a disk on which nothing else is left.
   */
  giveUpRoom(): void {
    this.removeFree();
    if (this.allocatedBytes <= this.at.offset) return;
    this.disk.truncate(this.file, this.at.offset);
    this.allocatedBytes = this.at.offset;
    this.disk.sync(this.file, true);
  }

  close(): void {
    if (this.file >= 0) this.disk.close(this.file);
    this.file = -1;
  }

  private freeFiles(): string[] {
    return listFreeSegments(this.disk, this.directory);
  }

  private rename(from: string, to: string): void {
    this.disk.rename(from, to);
    this.firstItems.set(to, this.firstItems.get(from) ?? 0);
    this.firstItems.delete(from);
  }

  /** Starts the segment after another; the other stays current when that fails. */
  private begin(previous: number, head: LogHead): void {
    const segment = previous + 1;
    const path = segmentPath(this.directory, segment);
    const [free] = this.freeFiles();
    if (free !== undefined) this.rename(join(logDirectoryOf(this.directory), free), path);
    else if (!this.firstItems.has(path)) this.firstItems.set(path, head.nextId);
    const file = this.disk.open(path);
    try {
      this.disk.write(file, [encodeSegmentHeader(segment, head)], 0);
      this.disk.sync(file, true);
      this.disk.syncDirectory(logDirectoryOf(this.directory));
    } catch (thrown) {
      this.disk.close(file);
      throw thrown;
    }
    this.close();
    this.file = file;
    this.allocatedBytes = this.disk.size(file);
    this.at = { sequence: head.sequence, nextId: head.nextId, link: head.link, segment, offset: FRAMES_START_BYTES };
  }

  private allocation(bytesMin: number): number {
    const { segmentBytes, firstBytes } = this.sizes;
    return Math.max(bytesMin, Math.min(segmentBytes, Math.max(this.allocatedBytes * 2, firstBytes)));
  }

  /** Zeros are written so that a later sync has no file length or block list to write, and no disk can be full then. */
  private allocate(bytesMin: number): void {
    const before = this.allocatedBytes;
    const usual = this.allocation(bytesMin);
    // What deletes or keeps runs is all that is written on a disk this full: room ahead would take what a deletion is done with.
    const bytes = this.spaceLimit?.isTouchedBy(usual - before) === true ? bytesMin : usual;
    try {
      for (let at = before; at < bytes; at += ZEROS.length) {
        this.disk.write(this.file, [ZEROS.subarray(0, Math.min(ZEROS.length, bytes - at))], at);
      }
      this.disk.sync(this.file, true);
    } catch (thrown) {
      this.disk.truncate(this.file, before);
      throw thrown;
    }
    this.allocatedBytes = bytes;
  }
}

/** What is thrown where something of the log is damaged or missing. */
export function damagedLog(where: string): ReenactError {
  return new ReenactError('store-failed', LOG_DAMAGED, {
    where,
    next: 'Run `reenact store verify --rebuild-index --data <directory>`, which keeps everything that can still be read.',
  });
}

/** Whether this says that something of the log is damaged or missing. */
export function isDamagedLog(thrown: unknown): thrown is ReenactError {
  return isReenactError(thrown) && thrown.message === LOG_DAMAGED;
}
