import { processState, type RecordedTickOrigin } from '@reenact/trace-model';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { pristine } from '../host/pristine.ts';

/** From which skew on it is worth a member of the record. */
const skewMsMin = 2;

interface TickZero extends RecordedTickOrigin {
  readonly hrtimeZeroNano: bigint;
}

function takeZero(): TickZero {
  const sinceMs = pristine.performanceNow();
  const hrtimeZeroNano = pristine.hrtimeNano() - BigInt(Math.round(sinceMs * 1_000_000));
  const timeOriginMs = pristine.timeOriginMs;
  const skewMs = timeOriginMs + sinceMs - Number(unixNanoNow() / 1_000n) / 1_000;
  const skew = Math.abs(skewMs) >= skewMsMin ? { skewMs } : {};
  return { timeOriginMs, hrtimeNano: String(hrtimeZeroNano), ...skew, hrtimeZeroNano };
}

const zero = processState('tick-origin.1', takeZero);

/** The zero of this process's clocks that only run forward, as a recording keeps it. */
export function tickOrigin(): RecordedTickOrigin {
  const { hrtimeZeroNano: _, ...origin } = zero;
  return origin;
}

/** What `performance.now` gave, in nanoseconds; NaN where it cannot have been that. */
export function tickOfMs(ms: number): number {
  const nano = Math.round(ms * 1e6);
  return msOfTick(nano) === ms ? nano : Number.NaN;
}

/** What `process.uptime` gave, in nanoseconds; NaN where it cannot have been that. */
export function tickOfSeconds(seconds: number): number {
  const nano = Math.round(seconds * 1e9);
  return secondsOfTick(nano) === seconds ? nano : Number.NaN;
}

/** What `process.hrtime.bigint` gave, in nanoseconds since the zero of this process. */
export function tickOfHrtime(nano: bigint): number {
  return Number(nano - zero.hrtimeZeroNano);
}

/** What `performance.now` gives for this tick. */
export function msOfTick(nano: number): number {
  return nano / 1e6;
}

/** What `process.uptime` gives for this tick. */
export function secondsOfTick(nano: number): number {
  return nano / 1e9;
}
