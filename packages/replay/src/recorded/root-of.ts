import { type Crossing, type Recording, ReenactError } from '@reenact/trace-model';

/** The crossing that a replay is of. Throws ReenactError `not-found` where the recording does not hold it. */
export function rootOf(recording: Recording, rootSpanId: string): Crossing {
  const root = recording.bySpanId.get(rootSpanId);
  if (root !== undefined) return root;
  throw new ReenactError('not-found', `The recording holds no crossing with span id ${rootSpanId}.`, {
    where: rootSpanId,
    next: `Name one of: ${recording.roots.map(({ spanId, path }) => `${spanId} (${path})`).join(', ')}.`,
  });
}
