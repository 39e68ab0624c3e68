import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

/** Taken now: in a replay both are others'. */
const statNow = statSync;
const processStartedMs = performance.timeOrigin;

type StatNow = (
  path: string,
  options: { readonly throwIfNoEntry: false },
) => { readonly birthtimeMs: number } | undefined;

/** When a file or folder was made: undefined where it is not there, `unknown` where its file system keeps no such time. */
function madeMs(path: string, stat: StatNow): number | 'unknown' | undefined {
  const made = stat(path, { throwIfNoEntry: false })?.birthtimeMs;
  return made === 0 ? 'unknown' : made;
}

/** When a replay with this directory of its own began, which may be before this process did. */
export function startOfReplayMs(directory: string | undefined, stat: StatNow = statNow): number {
  const made = directory === undefined ? undefined : madeMs(directory, stat);
  return typeof made === 'number' ? Math.min(made, processStartedMs) : processStartedMs;
}

/** Tells what a replay has made itself. */
export class MadeSince {
  private readonly sinceMs: number;
  private readonly stat: StatNow;
  private readonly known = new Set<string>();

  /** Tests give a file system of their own. */
  constructor(sinceMs: number, stat: StatNow = statNow) {
    this.sinceMs = sinceMs;
    this.stat = stat;
  }

  /** Whether a file or folder is not there, or was made since. One that was not there is remembered: its file system may keep no time. */
  includes(path: string): boolean {
    if (this.known.has(path)) return true;
    const made = madeMs(path, this.stat);
    if (made === undefined) this.known.add(path);
    return made === undefined || (made !== 'unknown' && made >= this.sinceMs);
  }
}
