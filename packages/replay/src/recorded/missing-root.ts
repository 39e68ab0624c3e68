import { MISSING_CAUSES, type Recording, ReenactError } from '@reenact/trace-model';
import { listedLines } from '../listed-lines.ts';

/** Whether Reenact recorded anything of a trace. */
export function isRecorded({ crossings }: Recording): boolean {
  return crossings.some(({ dialect }) => dialect === 'reenact');
}

/** Why a trace of which Reenact recorded nothing is not replayed. */
export function foreign(recording: Recording): ReenactError {
  if (recording.crossings.some(({ reconstructed }) => reconstructed === true)) {
    return new ReenactError(
      'cold-case',
      'Another instrumentation recorded this trace, so no client library can read its answers inside the process.',
      {
        where: recording.traceId,
        next: `Serve its model calls to the agent instead: \`reenact serve ${recording.traceId} -- <the command that starts your agent>\``,
      },
    );
  }
  const { missing } = recording.replayability;
  const lines = missing.flatMap(({ cause, where }) => (where === undefined ? [] : [`${where}: ${cause}`]));
  const lacking = lines.length === 0 ? '.' : `, and it lacks:\n  ${listedLines(lines)}`;
  // Which setting would have recorded it; for the whole trace what Reenact would have kept.
  const settings = missing.flatMap(({ where, detail }) =>
    where === undefined || detail === undefined ? [] : [detail],
  );
  return new ReenactError(
    'cold-case',
    `No span of this trace (of ${recording.spans.size}) was recorded by Reenact, so there is nothing to serve${lacking}`,
    { where: recording.traceId, next: [...new Set([MISSING_CAUSES['no-crossings'], ...settings])].join('\n') },
  );
}

/** Why a replay finds no crossing by this id: nothing of the trace was recorded, or not this span, or there is none such. */
export function missingRoot(recording: Recording, rootSpanId: string): ReenactError {
  if (!isRecorded(recording)) return foreign(recording);
  const named = recording.roots.map(({ spanId, path }) => `${spanId} (${path})`);
  const span = recording.spans.get(rootSpanId);
  const message =
    span === undefined
      ? `The recording holds no crossing with span id ${rootSpanId}.`
      : `Span ${rootSpanId} (${span.name}) is in the trace, and no crossing: nothing of it was recorded by Reenact.`;
  return new ReenactError(span === undefined ? 'not-found' : 'cold-case', message, {
    where: rootSpanId,
    next: `Name one of: ${listedLines(named)}`,
  });
}
