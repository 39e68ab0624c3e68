import type { Crossing, Recording } from '@reenact/trace-model';

/** A crossing and everything recorded below it, parents before children; empty where the recording lacks it. */
export function subtreeOf(recording: Recording, rootSpanId: string): Crossing[] {
  const inside = new Set([rootSpanId]);
  return recording.crossings.filter(({ spanId, parentSpanId }) => {
    if (spanId !== rootSpanId && (parentSpanId === undefined || !inside.has(parentSpanId))) return false;
    inside.add(spanId);
    return true;
  });
}
