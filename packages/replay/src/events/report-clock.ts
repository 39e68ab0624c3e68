import { pristine } from '@reenact/instrumentation';

const { timeOrigin } = performance;

/** Microseconds since the epoch that never run backwards, also where the machine's clock is set back meanwhile. */
export function reportClockUs(): number {
  return Math.round((timeOrigin + pristine.performanceNow()) * 1_000);
}
