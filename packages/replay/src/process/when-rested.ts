import { pristine } from '@reenact/instrumentation';
import type { Crossing, Recording } from '@reenact/trace-model';
import { runBeforeOf } from '@reenact/trace-model/reading';
import { REST_LEAD_MS, REST_LOOK_MS, REST_LOOKS, REST_MS_MAX, REST_SHARE_MAX, REST_WORK_MS_MAX } from '../limits.ts';

// Read before a replay gives the run what it had read of it.
const cpuUsage = process.cpuUsage.bind(process);

let last = performance.eventLoopUtilization();

/** The share of the time since it was asked last in which this process did more than wait. */
function shareBusySince(): number {
  const now = performance.eventLoopUtilization();
  const { utilization } = performance.eventLoopUtilization(now, last);
  last = now;
  return utilization;
}

/**
 * Whether a process did little but wait when it was asked, as services do nearly always: not where its first reads of a clock say that it had not been up
 * for much longer than this one is, `upMs` milliseconds.
 */
export function mayHaveRested(recording: Recording, root: Crossing, upMs: number): boolean {
  const { processDraws } = root;
  const reads = [processDraws?.['Date.now']?.[0], processDraws?.Date?.[0], processDraws?.ticks?.timeOriginMs];
  const known = reads.filter((ms) => ms !== undefined);
  if (known.length === 0 || runBeforeOf(recording, root.spanId) !== undefined) return true;
  return Number(root.startTimeUnixNano / 1_000_000n) - Math.min(...known) > upMs + REST_LEAD_MS;
}

/** What this process has taken of the processor's time, milliseconds: on a busy machine little of what passes on the clock. */
function workedMs(): number {
  const { user, system } = cpuUsage();
  return (user + system) / 1_000;
}

/**
 * Calls back once this process does little but wait, or has worked for `REST_WORK_MS_MAX`: a server that listens may still be loading code, as Next.js does with
 * its routes, and what is asked meanwhile has that code loaded, and its clock read, inside of the run. `shareBusy`, `worked`: for tests.
 */
export function whenRested(
  rested: () => void,
  shareBusy: () => number = shareBusySince,
  worked: () => number = workedMs,
): void {
  const untilMs = pristine.performanceNow() + REST_MS_MAX;
  const untilWorkedMs = worked() + REST_WORK_MS_MAX;
  let quiet = 0;
  const look = (): void => {
    quiet = shareBusy() <= REST_SHARE_MAX ? quiet + 1 : 0;
    if (quiet === REST_LOOKS || worked() > untilWorkedMs || pristine.performanceNow() > untilMs) rested();
    else pristine.setTimeout(look, REST_LOOK_MS).unref();
  };
  shareBusy();
  pristine.setTimeout(look, REST_LOOK_MS).unref();
}
