import { asOwnWork } from '../host/own-work.ts';
import type { PatchSet } from '../patching/patch-set.ts';
import { readingOwners } from './reading-owners.ts';
import { recordReading } from './record-draw.ts';

/**
 * Keeps, for the run around each call, what functions say of the machine and the process: the name of a host stands in locks and ids, the number of
 * processors says how many calls are made at once.
 */
export function watchReadings(patches: PatchSet): void {
  for (const { owner, key, name } of readingOwners()) {
    patches.wrap(owner, key, ({ proceed }) => {
      // What it reads in turn, as a clock, is its own affair.
      const value = asOwnWork(proceed);
      recordReading(name, value);
      return value;
    });
  }
}
