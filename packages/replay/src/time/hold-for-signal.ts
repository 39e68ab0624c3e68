import { type PatchSet, pristine, signalName } from '@reenact/instrumentation';
import { OWN_SIGNAL_MS_MAX } from '../limits.ts';
import type { ActiveTimes } from './active-times.ts';

/** Whether a signal comes back to this process: sent to it by either of its numbers, or to its group. */
function isToItself(target: unknown): boolean {
  const number = Number(target);
  return number === 0 || [pristine.processId, process.pid].includes(Math.abs(number));
}

/**
 * Keeps the process until a signal comes that it sends to itself and listens for: it comes a turn later, and listening keeps no process. When the run was recorded a request that went on
 * did, of which a replay has none.
 */
export function holdForSignal(patches: PatchSet, times: ActiveTimes): void {
  patches.wrap(process, 'kill', ({ parameters, proceed }) => {
    const [target, signal] = parameters;
    const result = proceed();
    const name = signalName(signal);
    const isHeard = name !== undefined && isToItself(target) && process.listenerCount(name) > 0;
    if (isHeard && times.here() !== undefined) pristine.setTimeout(() => undefined, OWN_SIGNAL_MS_MAX);
    return result;
  });
}
