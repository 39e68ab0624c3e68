import {
  QUEUE_BYTES_BESIDE_SPOOL_MAX,
  QUEUE_BYTES_MAX,
  QUEUE_HEAP_SHARE,
  SPILLED_HEAP_SHARE,
  SPILLED_SPAN_HEAP_BYTES,
  SPOOL_SPANS_MAX,
} from '../limits.ts';
import type { QueueLimits } from './export-queue.ts';

/** What may wait for a collector that is away, where the heap of the host takes `heapBytes`: less where that is little, for a host must not end of it. */
export function queueRoom(
  heapBytes: number,
  hasSpool: boolean,
): Pick<QueueLimits, 'queueBytesMax' | 'spilledSpansMax'> {
  const bytesMax = hasSpool ? QUEUE_BYTES_BESIDE_SPOOL_MAX : QUEUE_BYTES_MAX;
  return {
    queueBytesMax: Math.min(bytesMax, Math.floor(heapBytes * QUEUE_HEAP_SHARE)),
    spilledSpansMax: Math.min(SPOOL_SPANS_MAX, Math.floor((heapBytes * SPILLED_HEAP_SHARE) / SPILLED_SPAN_HEAP_BYTES)),
  };
}
