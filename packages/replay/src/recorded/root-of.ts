import type { Crossing, Recording } from '@reenact/trace-model';
import { missingRoot } from './missing-root.ts';

/** The crossing that a replay is of. Throws ReenactError where the recording does not hold it: `not-found`, or `cold-case` where nothing of it was recorded. */
export function rootOf(recording: Recording, rootSpanId: string): Crossing {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined) return root;
  throw missingRoot(recording, rootSpanId);
}
