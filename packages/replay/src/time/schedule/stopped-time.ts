import { pristine } from '@reenact/instrumentation';

let stoppedMs = 0;
let stoppedSinceMs: number | undefined;

/** The process begins to stand still in a debugger. */
export function beginStop(): void {
  stoppedSinceMs ??= pristine.performanceNow();
}

/** The process goes on. */
export function endStop(): void {
  if (stoppedSinceMs === undefined) return;
  stoppedMs += pristine.performanceNow() - stoppedSinceMs;
  stoppedSinceMs = undefined;
}

/**
 * Real milliseconds of this process, without those in which a debugger held it: what a replay measures real time with, so
 * that looking at a variable for a minute moves neither its clock nor its order.
 */
export function runningMs(): number {
  return (stoppedSinceMs ?? pristine.performanceNow()) - stoppedMs;
}
