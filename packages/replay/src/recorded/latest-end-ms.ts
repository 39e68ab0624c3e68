import type { Recording } from '@reenact/trace-model';

/** When the last crossing of a recording, or of one beside it, ended, whole milliseconds since 1970. */
export function latestEndMs(recording: Recording): number {
  const crossings = [recording, ...recording.runsBeside].flatMap((one) => one.crossings);
  return crossings.reduce((latest, crossing) => Math.max(latest, Number(crossing.endTimeUnixNano / 1_000_000n)), 0);
}
