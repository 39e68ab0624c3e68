import { setTimeout as pause } from 'node:timers/promises';
import { SPOOL_LOOK_EVERY_MS } from '../limits.ts';

/** What lies in the spool for one collector, and how it is taken. */
export interface LeftoverWatch {
  /** Names of what was left behind. Cheap, as it is called every few seconds, and never throws. */
  readonly look: () => string[];
  /** Takes all that can be taken, and says what came of it. Never rejects. */
  readonly take: () => Promise<void>;
  /** Default: `SPOOL_LOOK_EVERY_MS`. */
  readonly everyMs?: number;
}

/** False where it was ended. */
async function hasPassed(everyMs: number, signal: AbortSignal): Promise<boolean> {
  try {
    await pause(everyMs, undefined, { signal, ref: false });
    return true;
  } catch {
    return false;
  }
}

/**
 * Takes what was left before the collector started, and then what processes leave while it runs: one that was killed may have nobody else to deliver
 * what it had recorded. That is taken when two looks have found it: a process that ends in order, or that had started the one that was killed, delivers it by then.
 * What could not be taken is not tried again, because that would be told each time. Resolves once the signal has ended it.
 */
export async function watchLeftovers(
  { look, take, everyMs = SPOOL_LOOK_EVERY_MS }: LeftoverWatch,
  signal: AbortSignal,
): Promise<void> {
  await take();
  let untaken = new Set(look());
  let found = new Set<string>();
  while (await hasPassed(everyMs, signal)) {
    const left = look();
    const isDue = left.some((name) => found.has(name) && !untaken.has(name));
    found = new Set(left);
    if (!isDue) continue;
    await take();
    untaken = new Set(look());
  }
}
