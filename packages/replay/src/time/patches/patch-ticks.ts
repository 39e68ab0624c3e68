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
import type { TickFunction } from '@reenact/trace-model';
import type { ActiveTimes } from '../active-times.ts';

type HrTime = [number, number];
type Clock = (...parameters: never[]) => unknown;

/** What a clock shows in the replay that the code belongs to which reads it; undefined: the real time. */
type ReadTick = (name: TickFunction, clock: Clock) => Tick | undefined;

interface Tick {
  readonly nano: number;
  /** What `process.hrtime.bigint()` was at the zero; undefined: nobody read it when the run was recorded. */
  readonly hrtimeNano: bigint | undefined;
}

function tickReader(times: ActiveTimes): ReadTick {
  return (name, clock) => {
    const here = times.here();
    // What `fetch` reads for itself was not recorded, and takes no place among the recorded reads.
    if (here === undefined || isFetchRead(clock)) return undefined;
    const tick = here.time.readTick(here.position, name);
    tickTape(clock)?.addTick(name, tick.nano);
    return tick;
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
  const startNano = pristine.hrtimeNano();
  const nanoOf = ({ nano, hrtimeNano = startNano }: Tick): bigint => hrtimeNano + BigInt(nano);
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
