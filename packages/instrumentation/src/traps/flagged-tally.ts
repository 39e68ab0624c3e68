import { ATTR_REENACT_INPUT_VIOLATIONS, ATTR_REENACT_REQUIRES_MISSING } from '@reenact/semconv/reenact';
import { processState } from '@reenact/trace-model';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { TALLIED_BOUNDARIES_MAX } from '../limits.ts';

const counts = processState('flagged-tally.1', () => new Map<string, number>());

function count(label: string): void {
  const before = counts.get(label) ?? 0;
  if (before > 0 || counts.size < TALLIED_BOUNDARIES_MAX) counts.set(label, before + 1);
}

/** Counts one recorded crossing that lacks what its boundary requires, once for each thing. */
export function tallyFlagged({ boundary, slim }: Pick<CrossingFacts, 'boundary' | 'slim'>): void {
  const missing = slim[ATTR_REENACT_REQUIRES_MISSING];
  const violations = slim[ATTR_REENACT_INPUT_VIOLATIONS];
  if (missing === undefined && violations === undefined) return;
  const label = `${boundary.kind}:${boundary.name}`;
  if (Array.isArray(missing)) for (const word of missing) count(`${label} without ${word}`);
  if (violations !== undefined) count(`${label} with an input that its schema refuses`);
}

/** How often crossings of this process lacked what their boundary requires, by `kind:name` and what it was. */
export function flaggedTally(): ReadonlyMap<string, number> {
  return counts;
}
