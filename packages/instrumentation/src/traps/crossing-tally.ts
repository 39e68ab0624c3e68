import { crossingLabel, processState } from '@reenact/trace-model';
import type { BoundaryDefinition } from '../gate/boundary-definition.ts';
import { TALLIED_BOUNDARIES_MAX } from '../limits.ts';

/** By kind, then by name: to put both together for each crossing takes longer than to count it. */
const counts = processState('crossing-tally.1', () => new Map<string, Map<string, number>>());
let boundaries = 0;

/** Counts one recorded crossing of a boundary. */
export function tallyCrossing({ kind, name }: Pick<BoundaryDefinition, 'kind' | 'name'>): void {
  const ofKind = counts.get(kind) ?? new Map<string, number>();
  const count = ofKind.get(name);
  if (count !== undefined) ofKind.set(name, count + 1);
  else if (boundaries < TALLIED_BOUNDARIES_MAX) {
    boundaries += 1;
    ofKind.set(name, 1);
    counts.set(kind, ofKind);
  }
}

/** How often each boundary was crossed and recorded in this process, by `kind:name`. */
export function crossingTally(): ReadonlyMap<string, number> {
  const all = [...counts].flatMap(([kind, ofKind]) =>
    Array.from(
      ofKind,
      ([name, count]) => [crossingLabel({ kind: kind as BoundaryDefinition['kind'], name }), count] as const,
    ),
  );
  return new Map(all);
}
