import type { HrTime } from '@opentelemetry/api';
import { pristine } from './pristine.ts';

const anchorNano = pristine.hrtimeNano();
const anchorUnixNano = BigInt(pristine.dateNow()) * 1_000_000n;

/** Nanoseconds since 1970 on a clock that never runs backwards: anchored to the wall clock once, when loaded. */
export function unixNanoNow(): bigint {
  return anchorUnixNano + (pristine.hrtimeNano() - anchorNano);
}

/** The `[seconds, nanoseconds]` form in which OpenTelemetry keeps a time or a duration. */
export function toHrTime(nano: bigint): HrTime {
  return [Number(nano / 1_000_000_000n), Number(nano % 1_000_000_000n)];
}

/** Whole microseconds between two times of `unixNanoNow`. */
export function microsecondsBetween(startUnixNano: bigint, endUnixNano: bigint): number {
  return Number((endUnixNano - startUnixNano) / 1_000n);
}
