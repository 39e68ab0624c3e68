import type { DatabaseSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import type { Disk } from './disk.ts';

/** The first bytes of a database file say how it is laid out (https://sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100;
const LOCKED_BYTE = 0x40000000;
const MAP_ENTRY_BYTES = 5;
/** In the map of pages: the root of a tree, and another page of one. */
const TREE_PAGES: readonly (number | undefined)[] = [1, 5];
/** First bytes of a tree's page: nodes of an index and of a table, which have a longer head, and their leaves. */
const NODES: readonly (number | undefined)[] = [2, 5];
const LEAVES: readonly (number | undefined)[] = [10, 13];

/** For how long one step looks and writes, in which nothing is received, and how much it looks through at most: where much is to be blanked, that is hundreds of writes a megabyte. */
const STEP_MS = 25;
const BYTES_PER_STEP = 16 * 1024 * 1024;

/** Bytes of a file that are read together. */
const BYTES_PER_READ = 512 * 1024;

/** How long a step waits for readers, in which nothing is received either, and what is usual. */
const READERS_TIMEOUT_MS = 100;
const USUAL_TIMEOUT_MS = 10_000;

interface Layout {
  readonly pageBytes: number;
  readonly usedBytes: number;
  readonly pages: number;
}

/**
 * Blanks what is in the parts of a database's pages that are not in use. SQLite overwrites what it takes out of a page (`secure_delete`), but leaves where it
 * was what it moves to another one, which may have been deleted since; writing the whole file anew (`VACUUM`) holds up everything for as long as that takes.
 * Only for the one thread that writes the database, whose pages are mapped (`auto_vacuum`).
 */
export class UnusedBytes {
  private readonly database: DatabaseSync;
  private readonly disk: Disk;
  private readonly path: string;
  private readonly stepBytes: number;
  /** Stays open until the thread ends: the system lets go of all locks that a process has on a file where that closes any of its descriptors. */
  private file: number | undefined;

  /** `stepBytes`: how much of the file one step looks through. */
  constructor(database: DatabaseSync, disk: Disk, path: string, stepBytes: number = BYTES_PER_STEP) {
    this.stepBytes = stepBytes;
    this.database = database;
    this.disk = disk;
    this.path = path;
  }

  /**
   * Blanks a part of the file, which ends before the page `end` (0: the last one), and gives where the next part ends; 0 once there is none. From the end of the file,
   * because that is where SQLite takes pages from that it moves. Durable when it returns. Throws `store-busy` while somebody reads an older state.
   */
  blank(end: number): number {
    this.emptyLog();
    // What is written later is made of pages as they are in memory.
    this.database.exec('PRAGMA shrink_memory');
    this.file ??= this.disk.open(this.path);
    const layout = readLayout(this.disk, this.file);
    if (layout === undefined) return 0;
    const last = end === 0 ? layout.pages : Math.min(end - 1, layout.pages);
    const first = Math.max(1, last - Math.max(1, Math.floor(this.stepBytes / layout.pageBytes)) + 1);
    const { next, isChanged } = this.blankPages(this.file, first, last, layout);
    if (isChanged) this.disk.sync(this.file, false);
    return next === 1 ? 0 : next;
  }

  /** To be called when the thread has closed the database. */
  close(): void {
    if (this.file !== undefined) this.disk.close(this.file);
    this.file = undefined;
  }

  /** From the last page to the first one, or to where the time is over: down to the page `next`. */
  private blankPages(file: number, first: number, last: number, layout: Layout): { next: number; isChanged: boolean } {
    const { pageBytes } = layout;
    const endMs = performance.now() + STEP_MS;
    const isTree = this.mapReader(file, layout);
    let isChanged = false;
    let bytes: Buffer = Buffer.alloc(0);
    let read = last + 1;
    for (let page = last; page >= first; page -= 1) {
      if (page < read) {
        read = Math.max(first, page + 1 - Math.max(1, Math.floor(BYTES_PER_READ / pageBytes)));
        bytes = this.disk.read(file, (read - 1) * pageBytes, (page + 1 - read) * pageBytes);
      }
      const content = bytes.subarray((page - read) * pageBytes, (page - read + 1) * pageBytes);
      if (content.length === pageBytes && isTree(page))
        isChanged = this.blankPage(file, page, content, layout) || isChanged;
      if (performance.now() >= endMs) return { next: page, isChanged };
    }
    return { next: Math.min(first, last + 1), isChanged };
  }

  /** Everything has to be in the file, or what is in the log would come over it. */
  private emptyLog(): void {
    this.database.exec(`PRAGMA busy_timeout = ${READERS_TIMEOUT_MS}`);
    try {
      if (this.database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0) return;
    } finally {
      this.database.exec(`PRAGMA busy_timeout = ${USUAL_TIMEOUT_MS}`);
    }
    throw new ReenactError('store-busy', 'Somebody reads the store for long: what was deleted cannot be blanked.', {
      where: this.path,
      next: 'No answer has it any more. To have it off the disk at once, delete again when that reader has ended; else the next pass of retention of a running collector blanks it (limits.retentionIntervalMs), or the next start.',
      retryable: true,
    });
  }

  /** Whether a page is one of a tree. Any other is blanked by SQLite once it is free, and is in use as a whole until then. */
  private mapReader(file: number, { pageBytes, usedBytes }: Layout): (page: number) => boolean {
    const lockedPage = LOCKED_BYTE / pageBytes + 1;
    const pagesPerMap = Math.floor(usedBytes / MAP_ENTRY_BYTES) + 1;
    let known = 0;
    let map: Buffer = Buffer.alloc(0);
    return (page) => {
      if (page === 1) return true;
      if (page === lockedPage) return false;
      const usual = Math.floor((page - 2) / pagesPerMap) * pagesPerMap + 2;
      const mapPage = usual === lockedPage ? usual + 1 : usual;
      if (page <= mapPage) return false;
      if (mapPage !== known) map = this.disk.read(file, (mapPage - 1) * pageBytes, pageBytes);
      known = mapPage;
      return TREE_PAGES.includes(map[(page - mapPage - 1) * MAP_ENTRY_BYTES]);
    };
  }

  /** Nothing but unused bytes is written, so whatever a power cut leaves of it, the page says what it said. */
  private blankPage(file: number, page: number, content: Buffer, layout: Layout): boolean {
    let isChanged = false;
    for (const [from, to] of unusedParts(content, page === 1 ? HEADER_BYTES : 0, layout)) {
      const blank = Buffer.alloc(to - from);
      if (content.subarray(from, to).equals(blank)) continue;
      this.disk.write(file, [blank], (page - 1) * layout.pageBytes + from);
      isChanged = true;
    }
    return isChanged;
  }
}

function readLayout(disk: Disk, file: number): Layout | undefined {
  const header = disk.read(file, 0, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.readUInt32BE(52) === 0) return undefined;
  const written = header.readUInt16BE(16);
  const pageBytes = written === 1 ? 65_536 : written;
  const pages = Math.floor(disk.size(file) / pageBytes);
  return { pageBytes, usedBytes: pageBytes - header.readUInt8(20), pages };
}

/** Between the places of a page's entries and the entries, and where entries were. None of a page that is not as it should be: that is for others to tell. */
function unusedParts(content: Buffer, at: number, { usedBytes }: Layout): (readonly [from: number, to: number])[] {
  const isNode = NODES.includes(content[at]);
  if (!isNode && !LEAVES.includes(content[at])) return [];
  const entries = content.readUInt16BE(at + 3);
  const start = at + (isNode ? 12 : 8) + entries * 2;
  const end = content.readUInt16BE(at + 5) || 65_536;
  if (start > end || end > usedBytes) return [];
  const parts: (readonly [number, number])[] = [[start, end]];
  for (let free = content.readUInt16BE(at + 1), before = end - 1; free !== 0; ) {
    if (free <= before || free + 4 > usedBytes) return [];
    const to = free + content.readUInt16BE(free + 2);
    if (to < free + 4 || to > usedBytes) return [];
    parts.push([free + 4, to]);
    before = to;
    free = content.readUInt16BE(free);
  }
  return parts;
}
