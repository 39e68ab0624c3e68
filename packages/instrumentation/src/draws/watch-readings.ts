import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { packageOf } from '../patching/package-of.ts';
import type { Behaviour, PatchSet } from '../patching/patch-set.ts';
import { isInThread } from '../run/thread-doings.ts';
import { type Callee, callingFiles } from '../source-line.ts';
import { readingOwners } from './reading-owners.ts';
import { recordReading } from './record-draw.ts';

/** Pools whose threads read for the pool and for nobody else: how much memory they use after each task, or how many processors there are. */
const POOLS: ReadonlySet<string | undefined> = new Set(['tinypool', 'workerpool']);

/** What stands between `read` and whoever calls the function of the platform. */
const OWN_FRAMES = 1;

/** Whether a pool reads for itself: what its thread computes does not depend on that. `read` stands on the stack. */
function isPoolRead(read: Callee): boolean {
  if (!isInThread) return false;
  const file = callingFiles(read, OWN_FRAMES + 1)[OWN_FRAMES] ?? '';
  return POOLS.has(packageOf(file)?.name);
}

/**
 * Keeps, for the run around each call, what functions say of the machine and the process: the name of a host stands in locks and ids, the number of
 * processors says how many calls are made at once.
 */
export function watchReadings(patches: PatchSet): void {
  for (const { owner, key, name } of readingOwners()) {
    const read: Behaviour = ({ proceed }) => {
      // What it reads in turn, as a clock, is its own affair.
      const value = asOwnWork(proceed);
      if (!guarded('telling who reads', () => isPoolRead(read), false)) recordReading(name, value);
      return value;
    };
    patches.wrap(owner, key, read);
  }
}
