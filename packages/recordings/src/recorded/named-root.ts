import { type Crossing, type Recording, ReenactError } from '@reenact/trace-model';

/** Whether a span stands above a crossing, with spans of others between them or not. */
function isAbove(spanId: string, { spans }: Recording, crossing: Crossing): boolean {
  let above = spans.get(crossing.spanId)?.parentSpanId;
  // A damaged trace may close a circle.
  for (let steps = 0; above !== undefined && steps < spans.size; steps += 1) {
    if (above === spanId) return true;
    above = spans.get(above)?.parentSpanId;
  }
  return false;
}

/**
 * The run that a span id means: itself where it is a crossing, and of a span of the app around a run, as lists name it, that run; without
 * one, the only run of its trace. `where`: what was named. Throws ReenactError `bad-argument` where there are several.
 */
export function namedRoot(recording: Recording, spanId: string | undefined, where: string): string {
  if (spanId === undefined) return onlyRoot(recording, where);
  if (recording.bySpanId.has(spanId)) return spanId;
  const below = recording.roots.filter((root) => isAbove(spanId, recording, root));
  return below.length === 0 ? spanId : onlyRoot({ ...recording, roots: below }, where);
}

function onlyRoot(recording: Recording, where: string): string {
  const [root, ...others] = recording.roots;
  if (root === undefined) {
    // A foreign trace has no crossing to start from; its own first span still names it, and the judgement follows.
    const first = recording.spans.keys().next().value;
    if (first !== undefined) return first;
  } else if (others.length === 0 || recording.roots.every(({ dialect }) => dialect !== 'reenact')) return root.spanId;
  const choices = recording.roots.map(({ spanId, path }) => `${spanId} (${path})`).join(', ');
  throw new ReenactError('bad-argument', `This trace holds ${recording.roots.length} runs.`, {
    where,
    next: `Name one by its span id: ${choices}.`,
  });
}

/** The same for a comparison: a span that is no crossing, as the request around a run is, stands for the only run of its trace. */
export function comparedRoot(recording: Recording, spanId: string | undefined, where: string): string {
  const named = namedRoot(recording, spanId, where);
  const [root, ...others] = recording.roots;
  return recording.bySpanId.has(named) || root === undefined || others.length > 0 ? named : root.spanId;
}
