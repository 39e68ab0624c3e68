import { asOwnWork, type PatchSet, readingOwners, recordReading } from '@reenact/instrumentation';
import type { ActiveTimes } from '../active-times.ts';

/** Has what says how the machine and the process are say what it said when the run was recorded. */
export function patchReadings(patches: PatchSet, times: ActiveTimes): void {
  for (const { owner, key, name } of readingOwners()) {
    patches.wrap(owner, key, ({ proceed }) => {
      const here = times.here();
      const recorded = here?.time.reading(here.position, name);
      if (recorded === undefined) return asOwnWork(proceed);
      recordReading(name, recorded);
      return recorded;
    });
  }
}
