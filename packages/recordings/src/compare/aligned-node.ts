import type { ComparableCrossing } from './comparable-crossing.ts';
import { compareOutcomes, comparePart, type PartComparison } from './part-comparison.ts';

/** What became of one step between two recordings. */
export const STEP_STATUSES = [
  'equal',
  'input-changed',
  'outcome-changed',
  'input-and-outcome-changed',
  'removed',
  'inserted',
] as const;

/** One status: `removed` is only in the first recording, `inserted` only in the second. */
export type StepStatus = (typeof STEP_STATUSES)[number];

/** One step of two aligned trees; a side is undefined where only the other has the step. */
export interface AlignedNode {
  status: StepStatus;
  /** On both sides, at another place; it stands at its place on the right. */
  isMoved: boolean;
  left: ComparableCrossing | undefined;
  right: ComparableCrossing | undefined;
  input: PartComparison;
  outcome: PartComparison;
  children: AlignedNode[];
}

const nothingToCompare: PartComparison = { type: 'equal' };

function statusOf(input: PartComparison, outcome: PartComparison): StepStatus {
  if (input.type === 'changed') return outcome.type === 'changed' ? 'input-and-outcome-changed' : 'input-changed';
  return outcome.type === 'changed' ? 'outcome-changed' : 'equal';
}

/** The step that both sides have, compared; nothing below it is aligned yet. */
export function pairedNode(left: ComparableCrossing, right: ComparableCrossing): AlignedNode {
  const input = comparePart(left.input, right.input, 'input');
  const outcome = compareOutcomes(left, right);
  return { status: statusOf(input, outcome), isMoved: false, left, right, input, outcome, children: [] };
}

/** A step that only one side has, with all below it. */
export function lonelyNode(side: 'left' | 'right', crossing: ComparableCrossing): AlignedNode {
  return {
    status: side === 'left' ? 'removed' : 'inserted',
    isMoved: false,
    left: side === 'left' ? crossing : undefined,
    right: side === 'right' ? crossing : undefined,
    input: nothingToCompare,
    outcome: nothingToCompare,
    children: crossing.children.map((child) => lonelyNode(side, child)),
  };
}

/** A step and every step below it, parents first. */
export function nodesOf(node: AlignedNode): AlignedNode[] {
  const found: AlignedNode[] = [];
  const waiting = [node];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    found.push(next);
    waiting.push(...next.children.toReversed());
  }
  return found;
}
