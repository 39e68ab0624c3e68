import type { Disk } from '../files/disk.ts';
import { linkAfter, readArchive, toChainRecord } from '../log/chain-archive.ts';
import type { FrameHead } from '../log/frame.ts';
import { countDigests } from '../log/item-digest.ts';
import { listSegments, type ReadSegment, readSegment, salvageFrames, segmentPath } from '../log/segment-files.ts';
import { emptyLogHead, encodeSegmentHeader, type LogHead } from '../log/segment-header.ts';
import { listPacks, mendPackHead } from '../pack/pack-file.ts';

/** What is known of the chain up to some place: what comes next, and whether nothing before that is missing. */
class ChainEnd {
  head: LogHead = emptyLogHead();
  isWhole = true;

  pass({ sequence, firstId, link }: FrameHead, items: number): void {
    if (sequence < this.head.sequence) return;
    if (sequence > this.head.sequence) this.isWhole = false;
    this.head = { sequence: sequence + 1, nextId: firstId + items, link: Buffer.from(link) };
  }

  /**
   * Whether a segment without its header is what comes next: its first frame says so, or what an older life of its file may have left in it cannot come
   * behind this end. The first file has no older life, and those of others are in the chain.
   */
  isContinuedBy(read: ReadSegment): boolean {
    const isBehindOlder = this.isWhole && (this.head.sequence > 1 || read.segment === 1);
    for (const { frame } of salvageFrames(read, this.head.sequence)) {
      const isNext = frame.sequence === this.head.sequence;
      return isBehindOlder || (isNext && linkAfter(this.head.link, toChainRecord(frame)).equals(frame.link));
    }
    return false;
  }
}

/**
 * Writes the heads of packs and log files anew that are damaged, where it is known what they said: that of a pack says its number alone, and that of a
 * log file how the chain stood before it, which the end of what is before it says, too. What is behind them is checked by itself.
 */
export function mendHeads(disk: Disk, dataDirectory: string): void {
  for (const pack of listPacks(disk, dataDirectory)) mendPackHead(disk, dataDirectory, pack);
  const segments = listSegments(disk, dataDirectory).map((segment) => () => readSegment(disk, dataDirectory, segment));
  if (segments.every((read) => read().head !== undefined)) return;
  const end = new ChainEnd();
  for (const found of readArchive(disk, dataDirectory)) {
    if ('damagedAt' in found) end.isWhole = false;
    else end.pass(found, countDigests(found.itemDigests));
  }
  for (const read of segments) {
    const segment = read();
    if (segment.head === undefined && end.isContinuedBy(segment)) writeHeader(disk, dataDirectory, segment, end.head);
    for (const { frame } of salvageFrames(segment, Math.max(end.head.sequence, segment.head?.sequence ?? 0))) {
      end.pass(frame, countDigests(toChainRecord(frame).itemDigests));
    }
  }
}

function writeHeader(disk: Disk, dataDirectory: string, { segment }: ReadSegment, head: LogHead): void {
  const file = disk.open(segmentPath(dataDirectory, segment));
  try {
    disk.write(file, [encodeSegmentHeader(segment, head)], 0);
    disk.sync(file, false);
  } finally {
    disk.close(file);
  }
}
