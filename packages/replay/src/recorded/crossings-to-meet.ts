import { subtreeOf } from '@reenact/recordings';
import type { Recording } from '@reenact/trace-model';

/** How many recorded crossings a replay of a run meets at most: its own, those of the runs beside it, and what its process called outside of them. */
export function crossingsToMeet(recording: Recording, rootSpanId: string): number {
  const { crossings = [], beside = [], afterwards = [] } = recording.setUps.get(rootSpanId) ?? {};
  const ofOthers = recording.runsBeside.map((run) => run.crossings.length);
  return [crossings.length, beside.length, afterwards.length, ...ofOthers].reduce(
    (sum, count) => sum + count,
    subtreeOf(recording, rootSpanId).length,
  );
}
