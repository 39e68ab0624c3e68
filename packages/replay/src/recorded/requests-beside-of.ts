import { type Crossing, isSentAgain, type Recording } from '@reenact/trace-model';
import { runsBesideOf } from '@reenact/trace-model/reading';

/** The roots of the other requests of its process that a replay of a request sends, too. */
export function requestsBesideOf(recording: Recording, root: Crossing): readonly Crossing[] {
  if (!isSentAgain(root)) return [];
  return runsBesideOf(recording, root.spanId)
    .runs.map((run) => run.root)
    .filter(isSentAgain);
}
