import { hostname } from 'node:os';
import { pristine } from '@reenact/instrumentation';
import { z } from 'zod';
import { CHILD_STOP_MS_MAX, DRIVER_WATCH_MS } from '../limits.ts';
import { isGone } from './is-gone.ts';

/** The shape of a driver as a replay's directory names it. */
export const driverSchema = z.strictObject({
  processId: z.number().int().positive(),
  /** Name of the machine or container: process ids mean nothing on another one. */
  host: z.string(),
});

/** The process that drives a replay. */
export type ReplayDriver = z.infer<typeof driverSchema>;

/** Read before a replay has it say what it said in the recording. */
const ownHost = hostname();

/** Whether a driver is known to be gone; false where it runs on another machine, or that cannot be told. Never throws. */
export function isDriverGone({ processId, host }: ReplayDriver): boolean {
  return host === ownHost && isGone(processId);
}

const { kill } = process;

function endProcess(): void {
  process.stderr.write('reenact: the process that drives this replay is gone, so this one ends.\n');
  pristine.setTimeout(() => kill.call(process, pristine.processId, 'SIGKILL'), CHILD_STOP_MS_MAX).unref();
  kill.call(process, pristine.processId, 'SIGTERM');
}

/**
 * Ends this process when the driver of its replay is gone, as after `kill -9`: nobody would read its report, and an agent must
 * not go on by itself. Asked in real time, without keeping the process alive.
 */
export function watchDriver(driver: ReplayDriver): void {
  const look = (): void => {
    if (isDriverGone(driver)) endProcess();
    else pristine.setTimeout(look, DRIVER_WATCH_MS).unref();
  };
  look();
}
