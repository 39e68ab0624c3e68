import { disguised, isFetchRead, type PatchSet, recordTime } from '@reenact/instrumentation';
import type { ClockFunction } from '@reenact/trace-model';
import type { ActiveTimes } from '../active-times.ts';
import { patchTicks } from './patch-ticks.ts';

/** The time of the replay around this call; undefined where it is read for real. */
export function readVirtualDate(times: ActiveTimes, name: ClockFunction): number | undefined {
  const here = times.here();
  if (here === undefined) return undefined;
  const timeMs = here.time.readDate(here.position, name);
  recordTime(name, timeMs, here.time.skewMs(here.position) - times.spansLaterMs);
  return timeMs;
}

function patchDate(patches: PatchSet, times: ActiveTimes): void {
  const read = (name: ClockFunction): number | undefined => readVirtualDate(times, name);
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

/** Makes `Date`, `performance` and `process.hrtime` read virtual time inside replays. */
export function patchClock(patches: PatchSet, times: ActiveTimes): void {
  patchDate(patches, times);
  patchTicks(patches, times);
}
