import * as files from 'node:fs';
import type { Resource } from '@opentelemetry/resources';
import { ReenactError } from '@reenact/trace-model';
import { guarded } from '../host/report-failure.ts';
import { frameBytesAtMost, readFrame, writeFrame } from './spool-frame.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, write, writeSync } = { ...files };

/** Ends in the names of whole files; a file still being written has another one. */
export const SEGMENT_ENDING = '.rsp';

/** Where a file that holds nothing any more is begun anew. */
const EMPTY_SEGMENT_BYTES_MAX = 1024 * 1024;

/** One frame in a segment. */
export interface StoredFrame {
  readonly segment: SpoolSegment;
  readonly offset: number;
  readonly bytes: number;
}

/** The parts of a frame that says which frames of its file need no delivery any more. */
function settledParts(offsets: readonly number[]): string[] {
  return [offsets.join(' ')];
}

function torn(): ReenactError {
  return new ReenactError('store-failed', 'The disk took only a part of a frame of the spool.', {
    next: 'Make room on the disk.',
  });
}

/** The offsets that such a frame names. */
export function settledOffsets(parts: readonly string[]): number[] {
  return (parts[0] ?? '').split(' ').filter(Boolean).map(Number);
}

/**
 * One append-only file of the spool. It goes, by `removeIfDone`, when it is sealed and no frame of it waits for delivery any more. Writing throws
 * where the disk refuses, and leaves no torn frame behind where that can be helped.
 */
export class SpoolSegment {
  readonly path: string;
  private readonly descriptor: number;
  private bytes: number;
  private waiting = 0;
  private isAppending = false;
  /** What was settled while an append off the path was under way: its place in the file is not known until that ends. */
  private unnoted: number[] = [];
  /** The resource of the frames that come next, as the last frame of that type says. */
  resource: Resource | undefined;
  private isSealed = false;
  private isRemoved = false;

  /** Opens a file for appending, with what it holds. */
  constructor(path: string) {
    this.path = path;
    // Read as well as append: what memory has no room for comes back from here.
    this.descriptor = openSync(path, 'a+', 0o600);
    this.bytes = fstatSync(this.descriptor).size;
  }

  /** How large the file is. */
  get sizeBytes(): number {
    return this.bytes;
  }

  /** Whether the file is gone: delivered, or given up. */
  get isGone(): boolean {
    return this.isRemoved;
  }

  /** Whether any frame waits for delivery. */
  get hasWaiting(): boolean {
    return this.waiting > 0;
  }

  /** Full, or large enough to be begun anew now that nothing in it waits. */
  isSpent(bytesMax: number): boolean {
    return this.bytes >= bytesMax || (!this.hasWaiting && this.bytes >= EMPTY_SEGMENT_BYTES_MAX);
  }

  /** Appends one written frame by one write, without waiting for the disk. Throws where the system does not take all of it. */
  append(buffer: Buffer, bytes: number): StoredFrame {
    const offset = this.bytes;
    let written = 0;
    try {
      written = writeSync(this.descriptor, buffer, 0, bytes);
    } finally {
      if (written === bytes) this.bytes += bytes;
      else guarded('cutting off a torn frame', () => ftruncateSync(this.descriptor, offset), undefined);
    }
    if (written !== bytes) throw torn();
    return { segment: this, offset, bytes };
  }

  /**
   * Appends one written frame off the path. One at a time, and never beside `append` on the same file. Rejects where the
   * system does not take all of it; what is torn is then the end of the file for whoever reads it.
   */
  async appendLater(buffer: Buffer, bytes: number): Promise<StoredFrame> {
    if (this.isRemoved)
      throw new ReenactError('internal', 'A segment of the spool was closed before a frame was written.');
    const offset = this.bytes;
    this.isAppending = true;
    try {
      const written = await new Promise<number>((resolve, reject) => {
        write(this.descriptor, buffer, 0, bytes, null, (error, count) =>
          error === null ? resolve(count) : reject(error),
        );
      });
      if (written !== bytes) throw torn();
      this.bytes += bytes;
      return { segment: this, offset, bytes };
    } finally {
      this.isAppending = false;
      const noted = this.unnoted;
      this.unnoted = [];
      if (this.isRemoved) this.closeFile();
      else if (noted.length > 0) this.note(noted);
    }
  }

  /** Says that one more frame waits for delivery: the file stays until `settle` has named it. */
  expect(): void {
    this.waiting += 1;
  }

  /** Notes that these frames need no delivery any more. Never throws: at worst the next process delivers them again. */
  settle(offsets: readonly number[]): void {
    if (this.isRemoved) return;
    this.waiting -= offsets.length;
    if (this.isAppending) this.unnoted.push(...offsets);
    else this.note(offsets);
  }

  private note(offsets: readonly number[]): void {
    guarded('noting a delivery in the spool', () => this.appendSettled(offsets), undefined);
  }

  private appendSettled(offsets: readonly number[]): void {
    const parts = settledParts(offsets);
    const buffer = Buffer.allocUnsafe(frameBytesAtMost(parts));
    this.append(buffer, writeFrame(buffer, 'settled', parts));
  }

  /** Cuts off what follows, which nobody can read. */
  cutTo(bytes: number): void {
    if (bytes >= this.bytes) return;
    guarded('cutting off a torn frame', () => ftruncateSync(this.descriptor, bytes), undefined);
    this.bytes = bytes;
  }

  /** Nothing more is appended but what was settled. */
  seal(): void {
    this.isSealed = true;
    this.removeIfDone();
  }

  /** Removes the file where it takes no more frames and none of it waits for delivery. */
  removeIfDone(): void {
    if (this.waiting <= 0 && this.isSealed) this.remove();
  }

  /** Reads a frame back; undefined where the file was given up or damaged. */
  read({ offset, bytes }: StoredFrame): readonly string[] | undefined {
    if (this.isRemoved) return undefined;
    const buffer = Buffer.allocUnsafe(bytes);
    const read = readSync(this.descriptor, buffer, 0, bytes, offset);
    return read === bytes ? readFrame(buffer, 0)?.frame.parts : undefined;
  }

  /** Removes the file, whatever it holds. */
  remove(): void {
    if (this.isRemoved) return;
    this.isRemoved = true;
    this.waiting = 0;
    this.closeFile();
    guarded('removing a spool segment', () => unlinkSync(this.path), undefined);
  }

  /** Closes the file and leaves it where it is; `hasWaiting` still tells. */
  close(): void {
    if (this.isRemoved) return;
    this.isRemoved = true;
    this.closeFile();
  }

  /** Not under a write that the system still has to do: the number of the file may be another one's by then. */
  private closeFile(): void {
    if (!this.isAppending) guarded('closing a spool segment', () => closeSync(this.descriptor), undefined);
  }
}
