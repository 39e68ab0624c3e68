import type { Recording } from '@reenact/trace-model';

/** When the last of a recording's crossings ended, whole milliseconds since 1970. */
export function latestEndMs({ crossings }: Recording): number {
  return crossings.reduce((latest, crossing) => Math.max(latest, Number(crossing.endTimeUnixNano / 1_000_000n)), 0);
}
