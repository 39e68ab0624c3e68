import { disguised, isFetchRead, type PatchSet, pristine, recordTime } from '@reenact/instrumentation';
import type { ClockFunction } from '@reenact/trace-model';
import { RUN_LEAD_MS } from '../limits.ts';
import type { ActiveTimes } from './active-times.ts';
import type { RunClock } from './run-clock.ts';

type HrTime = [number, number];

function patchDate(patches: PatchSet, times: ActiveTimes): void {
  const read = (name: ClockFunction): number | undefined => {
    const here = times.here();
    if (here === undefined) return undefined;
    const timeMs = here.time.readDate(here.position, name);
    recordTime(name, timeMs);
    return timeMs;
  };
  const real = globalThis.Date;
  patches.replace<() => number>(real, 'now', (now) => {
    // What `fetch` reads for itself was not recorded, and takes no place among the recorded reads.
    const virtual = (): number => (isFetchRead(virtual) ? undefined : read('Date.now')) ?? now();
    return disguised(virtual, now);
  });
  patches.replace<DateConstructor>(
    globalThis,
    'Date',
    (original) =>
      new Proxy(original, {
        construct(target, parameters, made) {
          const timeMs = parameters.length === 0 ? read('Date') : undefined;
          return Reflect.construct(target, timeMs === undefined ? parameters : [timeMs], made) as object;
        },
        apply(target) {
          const timeMs = read('Date');
          return timeMs === undefined ? target() : new target(timeMs).toString();
        },
      }),
  );
  // `date.constructor === Date` stays true.
  patches.replace(real.prototype, 'constructor', () => globalThis.Date);
}

/** Milliseconds since the virtual process started. */
function uptimeMs(clock: RunClock): number {
  return clock.readUs / 1_000 + RUN_LEAD_MS;
}

function patchPerformance(patches: PatchSet, times: ActiveTimes): void {
  const prototype = Object.getPrototypeOf(performance) as object;
  patches.wrap(prototype, 'now', ({ proceed }) => {
    const here = times.here();
    return here === undefined ? proceed() : uptimeMs(here.time.clock);
  });
  patches.replaceGetter(prototype, 'timeOrigin', (original) => () => {
    const here = times.here();
    return here === undefined ? original() : here.time.clock.startUnixMs - RUN_LEAD_MS;
  });
}

function isHrTime(value: unknown): value is HrTime {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'number');
}

function patchProcess(patches: PatchSet, times: ActiveTimes): void {
  const startNano = pristine.hrtimeNano();
  const nano = (clock: RunClock): bigint => startNano + BigInt(Math.round(uptimeMs(clock) * 1_000_000));
  const { hrtime } = process;
  patches.wrap(hrtime, 'bigint', ({ proceed }) => {
    const here = times.here();
    return here === undefined ? proceed() : nano(here.time.clock);
  });
  patches.wrap(process, 'hrtime', ({ parameters, proceed }) => {
    const here = times.here();
    const [before] = parameters;
    if (here === undefined || !(before === undefined || isHrTime(before))) return proceed();
    const [seconds, rest] = before ?? [0, 0];
    const since = nano(here.time.clock) - (BigInt(seconds) * 1_000_000_000n + BigInt(rest));
    const wholeSeconds = since / 1_000_000_000n;
    return [Number(wholeSeconds), Number(since - wholeSeconds * 1_000_000_000n)];
  });
  patches.wrap(process, 'uptime', ({ proceed }) => {
    const here = times.here();
    return here === undefined ? proceed() : uptimeMs(here.time.clock) / 1_000;
  });
}

/** Makes `Date`, `performance` and `process.hrtime` read virtual time inside replays. */
export function patchClock(patches: PatchSet, times: ActiveTimes): void {
  patchDate(patches, times);
  patchPerformance(patches, times);
  patchProcess(patches, times);
}
