import { TALLIED_BOUNDARIES_MAX } from '../limits.ts';

const counts = new Map<string, number>();

/** Counts one recorded crossing of a boundary; `label` is `kind:name`. */
export function tallyCrossing(label: string): void {
  const count = counts.get(label) ?? 0;
  if (count > 0 || counts.size < TALLIED_BOUNDARIES_MAX) counts.set(label, count + 1);
}

/** How often each boundary was crossed and recorded in this process, by `kind:name`. */
export function crossingTally(): ReadonlyMap<string, number> {
  return counts;
}
