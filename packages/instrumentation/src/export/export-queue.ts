import type { SpanContext } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SMALL_SPAN_BYTES_MAX, SMALL_SPANS_SHARE } from '../limits.ts';
import type { SpoolTicket } from '../spool/spool-ticket.ts';

/** One span that waits for export. The view is built when it is needed, off the host's path. */
export interface QueuedSpan {
  /** About how large it is on the wire. */
  readonly bytes: number;
  readonly view: () => ReadableSpan | undefined;
  /** Set for crossings. */
  readonly spanContext?: SpanContext;
  /** Where it is in the spool, where there is one. */
  readonly ticket?: SpoolTicket | undefined;
  /** Memory holds no more of it than where it is in the spool. */
  readonly isSpilled?: true;
}

/** Where those of a batch are in the spool. */
export function ticketsOf(batch: readonly QueuedSpan[]): SpoolTicket[] {
  return batch.map(({ ticket }) => ticket).filter((ticket) => ticket !== undefined);
}

/** What bounds a queue and its batches. */
export interface QueueLimits {
  readonly batchBytesMax: number;
  readonly batchSpansMax: number;
  readonly queueBytesMax: number;
  readonly queueSpansMax: number;
  /** How many spans wait that memory holds no more of than where they are in the spool. */
  readonly spilledSpansMax: number;
}

/** Spans in the order in which they ended, bounded in bytes and number. */
export class ExportQueue {
  private readonly limits: QueueLimits;
  private spans: QueuedSpan[] = [];
  /** What waits, on the wire. */
  private bytes = 0;
  private residentBytes = 0;
  private residentSpans = 0;
  /** What the small ones among the resident take. */
  private smallBytes = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  /** How many spans wait. */
  get size(): number {
    return this.spans.length;
  }

  /** Whether enough waits to fill a batch. */
  get hasFullBatch(): boolean {
    return this.bytes >= this.limits.batchBytesMax || this.spans.length >= this.limits.batchSpansMax;
  }

  /**
   * False where there is no room. A single span larger than the whole queue is taken when nothing else waits, and small ones beside
   * it: else one large result would cost the rest of its run, the root included.
   */
  add(span: QueuedSpan): boolean {
    const { queueBytesMax, queueSpansMax } = this.limits;
    const hasRoom = this.residentBytes + span.bytes <= queueBytesMax || this.fitsReserve(span);
    if ((this.residentSpans >= queueSpansMax || !hasRoom) && this.residentSpans > 0) return false;
    this.spans.push(span);
    this.count(span, 1);
    return true;
  }

  private fitsReserve({ bytes }: QueuedSpan): boolean {
    return bytes <= SMALL_SPAN_BYTES_MAX && this.smallBytes + bytes <= this.limits.queueBytesMax * SMALL_SPANS_SHARE;
  }

  /**
   * Adds a span of which memory holds no more than where it is. False where even that has no room; what could not be found again on the disk
   * has it always: what is not there whole yet, of which it takes few, and one of the few that were handed over before their end.
   */
  addSpilled(span: QueuedSpan & { readonly isSpilled: true }): boolean {
    const { ticket } = span;
    const isFoundAgain = ticket?.frame !== undefined && ticket.isOpen !== true;
    if (isFoundAgain && this.spans.length - this.residentSpans >= this.limits.spilledSpansMax) return false;
    this.spans.push(span);
    this.count(span, 1);
    return true;
  }

  private count({ bytes, isSpilled }: QueuedSpan, sign: 1 | -1): void {
    this.bytes += sign * bytes;
    if (isSpilled === true) return;
    this.residentBytes += sign * bytes;
    this.residentSpans += sign;
    if (bytes <= SMALL_SPAN_BYTES_MAX) this.smallBytes += sign * bytes;
  }

  /** Takes the oldest spans that fit one request, at most `spansMax`; one at least where any waits. */
  takeBatch(spansMax: number = this.limits.batchSpansMax): QueuedSpan[] {
    let bytes = 0;
    let count = 0;
    for (const span of this.spans) {
      if (count >= spansMax || (count > 0 && bytes + span.bytes > this.limits.batchBytesMax)) break;
      bytes += span.bytes;
      count += 1;
    }
    const batch = this.spans.splice(0, count);
    for (const span of batch) this.count(span, -1);
    return batch;
  }

  /** Puts spans back in front, whatever the limits say: they were accepted before. */
  putBack(spans: readonly QueuedSpan[]): void {
    this.spans = [...spans, ...this.spans];
    for (const span of spans) this.count(span, 1);
  }

  /** The crossing that waits, as it was added last. */
  findCrossing({ traceId, spanId }: SpanContext): QueuedSpan | undefined {
    const isIt = ({ spanContext }: QueuedSpan): boolean =>
      spanContext?.spanId === spanId && spanContext.traceId === traceId;
    return this.spans.findLast(isIt);
  }

  /** Puts a span in the place of one that waits. */
  replace(waiting: QueuedSpan, by: QueuedSpan): void {
    this.spans[this.spans.indexOf(waiting)] = by;
    this.count(waiting, -1);
    this.count(by, 1);
  }

  /** What waits, oldest first. */
  waiting(): readonly QueuedSpan[] {
    return this.spans;
  }
}
