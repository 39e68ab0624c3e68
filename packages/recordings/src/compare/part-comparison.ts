import type { ComparablePart } from './comparable-crossing.ts';
import { type TreeDifference, treeDifference } from './tree-difference.ts';

/** What comparing the inputs, or the outcomes, of two aligned crossings gave. */
export type PartComparison =
  | { readonly type: 'equal' }
  | { readonly type: 'changed'; readonly difference: TreeDifference }
  /** A recording does not hold what a comparison needs. */
  | { readonly type: 'unknown'; readonly why: string };

function changed(left: unknown, right: unknown): PartComparison {
  return { type: 'changed', difference: treeDifference(left, right) };
}

function treeOf(part: ComparablePart): unknown {
  return part.text === undefined ? undefined : JSON.parse(part.text);
}

/** Compares one part of two crossings; the words say what it is in sentences: `input` or `outcome`. */
export function comparePart(left: ComparablePart, right: ComparablePart, word: 'input' | 'outcome'): PartComparison {
  if (left.text !== undefined && right.text !== undefined) {
    return left.text === right.text ? { type: 'equal' } : changed(treeOf(left), treeOf(right));
  }
  if (left.digest !== undefined && left.digest === right.digest) return { type: 'equal' };
  // Only digests of the same sort can differ; the input's digest is its match key where that was recorded.
  const areOfOneSort = left.digest?.split(':')[0] === right.digest?.split(':')[0];
  if (left.digest !== undefined && right.digest !== undefined && areOfOneSort)
    return changed(left.digest, right.digest);
  const side = left.text === undefined ? 'first' : 'second';
  return { type: 'unknown', why: `the ${word} was not recorded in the ${side} recording` };
}

/** Compares how two crossings ended and with what; another way of ending shows as such. */
export function compareOutcomes(
  left: { readonly outcome: ComparablePart; readonly outcomeType: string },
  right: { readonly outcome: ComparablePart; readonly outcomeType: string },
): PartComparison {
  if (left.outcomeType === right.outcomeType) return comparePart(left.outcome, right.outcome, 'outcome');
  const half = (side: typeof left): unknown => ({ [side.outcomeType]: treeOf(side.outcome) ?? null });
  return changed(half(left), half(right));
}
