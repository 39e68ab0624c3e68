import type { HrTime } from '@opentelemetry/api';
import { processState } from '@reenact/trace-model';
import { pristine } from './pristine.ts';

const anchorNano = pristine.hrtimeNano();
const anchorUnixNano = BigInt(pristine.dateNow()) * 1_000_000n;

const spanClock = processState<{ shown: (() => bigint | undefined) | undefined }>('span-clock.1', () => ({
  shown: undefined,
}));

/** Nanoseconds since 1970 on a clock that never runs backwards: anchored to the wall clock once, when loaded, or what `showSpanTime` was given. */
export function unixNanoNow(): bigint {
  return spanClock.shown?.() ?? anchorUnixNano + (pristine.hrtimeNano() - anchorNano);
}

/** Has all that is recorded from now on stand at the times of another clock; where that gives undefined, at real ones. Gives how to stop. */
export function showSpanTime(clock: () => bigint | undefined): () => void {
  spanClock.shown = clock;
  return () => {
    if (spanClock.shown === clock) spanClock.shown = undefined;
  };
}

/** The `[seconds, nanoseconds]` form in which OpenTelemetry keeps a time or a duration. */
export function toHrTime(nano: bigint): HrTime {
  return [Number(nano / 1_000_000_000n), Number(nano % 1_000_000_000n)];
}

/** Whole microseconds between two times of `unixNanoNow`. */
export function microsecondsBetween(startUnixNano: bigint, endUnixNano: bigint): number {
  return Number((endUnixNano - startUnixNano) / 1_000n);
}
