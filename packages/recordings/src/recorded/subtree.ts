import type { Crossing, Recording } from '@reenact/trace-model';

/** A replay asks for the same part of the same recording again and again. */
const known = new WeakMap<Recording, Map<string, readonly Crossing[]>>();

/** A crossing and everything recorded below it, parents before children; empty where the recording lacks it. */
export function subtreeOf(recording: Recording, rootSpanId: string): readonly Crossing[] {
  const ofRecording = known.get(recording) ?? new Map<string, readonly Crossing[]>();
  known.set(recording, ofRecording);
  const subtree = ofRecording.get(rootSpanId) ?? collect(recording, rootSpanId);
  ofRecording.set(rootSpanId, subtree);
  return subtree;
}

function collect(recording: Recording, rootSpanId: string): readonly Crossing[] {
  const inside = new Set([rootSpanId]);
  return recording.crossings.filter(({ spanId, parentSpanId }) => {
    if (spanId !== rootSpanId && (parentSpanId === undefined || !inside.has(parentSpanId))) return false;
    inside.add(spanId);
    return true;
  });
}
