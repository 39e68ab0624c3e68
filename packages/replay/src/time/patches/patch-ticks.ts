import {
  disguised,
  isFetchRead,
  msOfTick,
  type PatchSet,
  performanceOwner,
  pristine,
  secondsOfTick,
  tickTape,
} from '@reenact/instrumentation';
import type { RecordedTickOrigin, TickFunction } from '@reenact/trace-model';
import type { ActiveTimes } from '../active-times.ts';

type HrTime = [number, number];
type Clock = (...parameters: never[]) => unknown;

/** What a clock shows in the replay that the code belongs to which reads it; undefined: the real time. */
type ReadTick = (name: TickFunction, clock: Clock) => Tick | undefined;

interface Tick {
  readonly nano: number;
  readonly origin: RecordedTickOrigin;
}

function tickReader(times: ActiveTimes): ReadTick {
  const startNano = String(pristine.hrtimeNano());
  return (name, clock) => {
    const here = times.here();
    // What `fetch` reads for itself was not recorded, and takes no place among the recorded reads.
    if (here === undefined || isFetchRead(clock)) return undefined;
    const { nano, origin: recorded } = here.time.readTick(here.position, name);
    // Nobody may have read such a clock when the run was recorded.
    const origin: RecordedTickOrigin = recorded ?? {
      timeOriginMs: here.time.ticks.timeOriginMs,
      hrtimeNano: startNano,
    };
    tickTape(clock)?.addTick(name, nano, { ...origin, skewMs: (origin.skewMs ?? 0) - times.spansLaterMs });
    return { nano, origin };
  };
}

function patchPerformance(patches: PatchSet, times: ActiveTimes, read: ReadTick): void {
  const owner = performanceOwner();
  patches.replace<() => number>(owner, 'now', (now) => {
    const virtual = function (this: unknown): number {
      const tick = read('performance.now', virtual);
      return tick === undefined ? Reflect.apply(now, this, []) : msOfTick(tick.nano);
    };
    return disguised(virtual, now);
  });
  patches.replaceGetter(owner, 'timeOrigin', (original) => () => {
    return times.here()?.time.ticks.timeOriginMs ?? original();
  });
}

function isHrTime(value: unknown): value is HrTime {
  return Array.isArray(value) && value.length === 2 && value.every((part) => Number.isSafeInteger(part));
}

function patchHrtime(patches: PatchSet, read: ReadTick): void {
  const nanoOf = ({ nano, origin }: Tick): bigint => BigInt(origin.hrtimeNano) + BigInt(nano);
  patches.replace<() => bigint>(process.hrtime, 'bigint', (bigint) => {
    const virtual = (): bigint => {
      const tick = read('process.hrtime', virtual);
      return tick === undefined ? bigint() : nanoOf(tick);
    };
    return disguised(virtual, bigint);
  });
  patches.replace<(before?: unknown) => HrTime>(process, 'hrtime', (hrtime) => {
    const virtual = (before?: unknown): HrTime => {
      const tick = before === undefined || isHrTime(before) ? read('process.hrtime', virtual) : undefined;
      if (tick === undefined) return hrtime(before);
      const [seconds, rest] = before === undefined ? [0, 0] : (before as HrTime);
      const since = nanoOf(tick) - (BigInt(seconds) * 1_000_000_000n + BigInt(rest));
      const wholeSeconds = since / 1_000_000_000n;
      return [Number(wholeSeconds), Number(since - wholeSeconds * 1_000_000_000n)];
    };
    Object.defineProperties(virtual, Object.getOwnPropertyDescriptors(hrtime));
    return virtual;
  });
}

/** Makes the clocks that only run forward show virtual time inside replays: `performance`, `process.hrtime`, `process.uptime`. */
export function patchTicks(patches: PatchSet, times: ActiveTimes): void {
  const read = tickReader(times);
  patchPerformance(patches, times, read);
  patchHrtime(patches, read);
  patches.replace<() => number>(process, 'uptime', (uptime) => {
    const virtual = (): number => {
      const tick = read('process.uptime', virtual);
      return tick === undefined ? uptime() : secondsOfTick(tick.nano);
    };
    return disguised(virtual, uptime);
  });
}
