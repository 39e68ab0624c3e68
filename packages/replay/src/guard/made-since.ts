import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Taken now: in a replay both are others'. */
const statNow = statSync;
const processStartedMs = performance.timeOrigin;

function madeMs(path: string): number | undefined {
  return statNow(path, { throwIfNoEntry: false })?.birthtimeMs;
}

/** When a replay with this directory of its own began, which may be before this process did. */
export function startOfReplayMs(directory: string | undefined): number {
  const made = directory === undefined ? undefined : madeMs(directory);
  return made === undefined ? processStartedMs : Math.min(made, processStartedMs);
}

/** Whether a file or folder is not there, or was made since. */
export function isMadeSince(path: string, sinceMs: number): boolean {
  const made = madeMs(path);
  return made === undefined || made >= sinceMs;
}
