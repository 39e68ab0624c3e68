import * as files from 'node:fs';
import { emptyResource, type Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { guarded } from '../host/report-failure.ts';
import { spanOfParts } from './crossing-frame.ts';
import { resourceOf, settledIn } from './leftover-spans.ts';
import { charactersOf, type Frame, readFrames } from './spool-frame.ts';
import type { SpoolSegment, StoredFrame } from './spool-segment.ts';
import type { SpoolTicket } from './spool-ticket.ts';

// Taken out of the module record, which the guard of a replay rewrites.
const { readFileSync } = { ...files };

/** One of which memory holds no more than where it is. */
export interface SpilledSpan {
  readonly bytes: number;
  readonly isSpilled: true;
  readonly view: () => ReadableSpan | undefined;
  readonly ticket?: SpoolTicket;
}

/** Takes one; false where even that has no room. */
type AddSpilled = (span: SpilledSpan) => boolean;

/**
 * Spans that wait on the disk and of which memory does not even know where they are: only how many, file by file. Each file is read
 * once what memory knew of is delivered. It is said once on stderr.
 */
export class LeftInSpool {
  private readonly counts = new Map<SpoolSegment, number>();
  private isTold = false;

  /** How many there are. */
  get total(): number {
    return [...this.counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Forgets where one is that is on the disk. Never throws. */
  leave({ segment }: StoredFrame): void {
    this.counts.set(segment, (this.counts.get(segment) ?? 0) + 1);
    if (this.isTold) return;
    this.isTold = true;
    try {
      process.stderr.write(
        'reenact: more recorded spans wait on the disk than this process can keep track of. Further ones are delivered behind those, or by `npx reenact spool deliver` once it has ended. Told once.\n',
      );
    } catch {
      // stderr may be closed; the spans are as safe as they were.
    }
  }

  /**
   * Has those of the oldest file wait in memory again, as many as find room there; false where there are none. To be called while nothing else
   * waits: what the file holds and does not call settled is then one of them. What is not there any more waits as well, to be counted as lost.
   */
  takeBack(add: AddSpilled): boolean {
    for (const [segment, count] of this.counts) {
      const spans = segment.isGone ? [] : guarded('reading the spool back', () => spansIn(segment), []);
      const firstLeft = spans.findIndex((span) => !add(span));
      const added = firstLeft < 0 ? spans.length : firstLeft;
      if (added < spans.length) this.counts.set(segment, spans.length - added);
      else this.counts.delete(segment);
      for (let lost = count - spans.length; lost > 0; lost -= 1) add(lostSpan);
      if (added > 0 || count > spans.length) return true;
    }
    return false;
  }
}

const lostSpan = { bytes: 0, isSpilled: true, view: () => undefined } as const;

function spansIn(segment: SpoolSegment): SpilledSpan[] {
  const { frames, endBytes } = readFrames(readFileSync(segment.path));
  const settled = settledIn(frames);
  let resource = emptyResource();
  return frames.flatMap((frame, index) => {
    if (frame.type === 'resource') resource = guarded('reading a resource', () => resourceOf(frame.parts), resource);
    if ((frame.type !== 'ended' && frame.type !== 'span') || settled.has(frame.offset)) return [];
    const bytes = (frames[index + 1]?.offset ?? endBytes) - frame.offset;
    return [spilledSpan(frame, { segment, offset: frame.offset, bytes }, resource)];
  });
}

function spilledSpan({ parts }: Frame, frame: StoredFrame, resource: Resource): SpilledSpan {
  const ticket: SpoolTicket = { resource, frame, pending: undefined, isSettled: false };
  const view = (): ReadableSpan | undefined => {
    const read = frame.segment.read(frame);
    return read === undefined ? undefined : spanOfParts(read, resource);
  };
  return { bytes: charactersOf(parts), ticket, isSpilled: true, view };
}
