import * as files from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
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

/** A driver, and the directory of the replay that it drives. */
export interface WatchedDriver extends ReplayDriver {
  readonly directory: string;
}

/** The name of this machine or container, read before a replay has it say what it said in the recording. */
export const ownHost = hostname();

/** Whether a driver is known to be gone; false where it runs on another machine, or that cannot be told. Never throws. */
export function isDriverGone({ processId, host }: ReplayDriver): boolean {
  return host === ownHost && isGone(processId);
}

const { kill } = process;
// Taken out of the module record, which the guard of a replay rewrites.
const { existsSync, writeFileSync } = { ...files };

/** Stands in the directory of a replay for a process that is to end. */
function stopFile(directory: string, processId: number): string {
  return join(directory, `stop-${processId}`);
}

/**
 * Has a process of a replay end itself, as by SIGTERM, within `DRIVER_WATCH_MS`. It is told by a file, for the number that it knows may be
 * another process's where the driver is, as in a container. Never throws.
 */
export function tellToStop(directory: string, processId: number): void {
  try {
    writeFileSync(stopFile(directory, processId), '', { mode: 0o600 });
  } catch {
    // Where the directory is gone, so is the replay.
  }
}

function endProcess(): void {
  pristine.setTimeout(() => kill.call(process, pristine.processId, 'SIGKILL'), CHILD_STOP_MS_MAX).unref();
  kill.call(process, pristine.processId, 'SIGTERM');
}

/**
 * Ends this process when the driver of its replay is gone, as after `kill -9`: nobody would read its report, and an agent must
 * not go on by itself. So it does where the driver has told it to stop. Asked in real time, without keeping the process alive.
 */
export function watchDriver(driver: WatchedDriver): void {
  const ordered = stopFile(driver.directory, pristine.processId);
  const look = (): void => {
    const isToStop = existsSync(ordered);
    if (!isToStop && !isDriverGone(driver)) {
      pristine.setTimeout(look, DRIVER_WATCH_MS).unref();
      return;
    }
    // Who was told to stop is stopped with its command, as if by that.
    if (!isToStop) process.stderr.write('reenact: the process that drives this replay is gone, so this one ends.\n');
    endProcess();
  };
  look();
}
