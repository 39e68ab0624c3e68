import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';

/** One span that waits for export. The view is built when it is needed, off the host's path. */
export interface QueuedSpan {
  /** About how large it is on the wire. */
  readonly bytes: number;
  readonly view: () => ReadableSpan;
}

/** What bounds a queue and its batches. */
export interface QueueLimits {
  readonly batchBytesMax: number;
  readonly batchSpansMax: number;
  readonly queueBytesMax: number;
  readonly queueSpansMax: number;
}

/** Spans in the order in which they ended, bounded in bytes and number. */
export class ExportQueue {
  private readonly limits: QueueLimits;
  private spans: QueuedSpan[] = [];
  private bytes = 0;

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

  /** False where there is no room. A single span larger than the whole queue is taken when nothing else waits. */
  add(span: QueuedSpan): boolean {
    const { queueBytesMax, queueSpansMax } = this.limits;
    const isFull = this.spans.length >= queueSpansMax || this.bytes + span.bytes > queueBytesMax;
    if (isFull && this.spans.length > 0) return false;
    this.spans.push(span);
    this.bytes += span.bytes;
    return true;
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
    this.bytes -= bytes;
    return this.spans.splice(0, count);
  }

  /** Puts spans back in front, whatever the limits say: they were accepted before. */
  putBack(spans: readonly QueuedSpan[]): void {
    this.spans = [...spans, ...this.spans];
    this.bytes += spans.reduce((sum, span) => sum + span.bytes, 0);
  }

  /** What waits, oldest first. */
  waiting(): readonly QueuedSpan[] {
    return this.spans;
  }
}
