import { randomBytes } from 'node:crypto';
import { processState } from '@reenact/trace-model';

/**
 * What the platform is when this package is loaded. A replay later makes the global clock, timers, random source and
 * number of the process virtual; what Reenact itself measures and schedules must stay real. A copy in a context of `node:vm` finds all of them replaced.
 */
export const pristine = processState('pristine.1', () => ({
  dateNow: Date.now,
  performanceNow: performance.now.bind(performance),
  timeOriginMs: performance.timeOrigin,
  hrtimeNano: process.hrtime.bigint,
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  nextTick: process.nextTick,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  fetch: globalThis.fetch,
  processId: process.pid,
  parentProcessId: process.ppid,
  /** Taken out of the module record, which `module.syncBuiltinESMExports()` rewrites. */
  randomBytes: randomBytes as (sizeBytes: number) => Buffer,
}));
