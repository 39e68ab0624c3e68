import { guarded } from '../host/report-failure.ts';
import { disguised, type PatchSet } from '../patching/patch-set.ts';
import { tickOfHrtime, tickOfMs, tickOfSeconds } from '../run/tick-origin.ts';
import { performanceOwner } from './performance-owner.ts';
import { tickTape } from './record-draw.ts';

type HrTime = [number, number];
type HrTimeFunction = (before?: HrTime) => HrTime;

function nanoOf([seconds, rest]: HrTime): bigint {
  return BigInt(seconds) * 1_000_000_000n + BigInt(rest);
}

function watchHrtime(patches: PatchSet): void {
  patches.replace<() => bigint>(process.hrtime, 'bigint', (bigint) => {
    const watched = (): bigint => {
      const nano = bigint();
      tickTape(watched)?.addTick('process.hrtime', tickOfHrtime(nano));
      return nano;
    };
    return disguised(watched, bigint);
  });
  patches.replace<HrTimeFunction>(process, 'hrtime', (hrtime) => {
    const watched: HrTimeFunction = (before) => {
      const since = hrtime(before);
      const kept = tickTape(watched);
      const add = (): void => kept?.addTick('process.hrtime', tickOfHrtime(nanoOf(since) + nanoOf(before ?? [0, 0])));
      // What the host gives may be any two numbers.
      if (kept !== undefined) guarded('keeping a clock read', add, undefined);
      return since;
    };
    Object.defineProperties(watched, Object.getOwnPropertyDescriptors(hrtime));
    return watched;
  });
}

/**
 * Keeps, for the run around each read, what `performance.now`, `process.hrtime`, its `bigint` and `process.uptime` gave: agents
 * measure how long something took, and answer with it.
 */
export function watchTicks(patches: PatchSet): void {
  patches.replace<() => number>(performanceOwner(), 'now', (now) => {
    const watched = function (this: unknown): number {
      const ms = Reflect.apply(now, this, []);
      tickTape(watched)?.addTick('performance.now', tickOfMs(ms));
      return ms;
    };
    return disguised(watched, now);
  });
  patches.replace<() => number>(process, 'uptime', (uptime) => {
    const watched = (): number => {
      const seconds = uptime();
      tickTape(watched)?.addTick('process.uptime', tickOfSeconds(seconds));
      return seconds;
    };
    return disguised(watched, uptime);
  });
  watchHrtime(patches);
}
