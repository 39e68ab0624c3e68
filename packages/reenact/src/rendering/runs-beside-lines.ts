import type { Crossing } from '@reenact/trace-model';
import type { WithRunsBeside } from '../reading/with-runs-beside.ts';

/** What is said of the other runs of a run's process where they are kept with it; empty where there are none. */
export function runsBesideLines({ path }: Crossing, { beside, reason }: WithRunsBeside): string[] {
  const { runs, missing } = beside;
  const held = `${runs.length} other ${runs.length === 1 ? 'run' : 'runs'} of the process of ${path}`;
  if (missing !== undefined) {
    const lacking = `run ${missing.place} (trace ${missing.traceId}) cannot be had. ${reason}`.trim();
    return [`runs: ${held} held here; ${lacking} So a command cannot replay it; a function can: --entry.`];
  }
  return runs.length === 0 ? [] : [`runs: ${held} held here, which its command goes through, too`];
}
