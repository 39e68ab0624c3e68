import type { ComparableCrossing, ComparablePart } from './comparable-crossing.ts';
import { similarity, wordSample } from './input-similarity.ts';

/** What leaving one crossing without a partner costs; no allowed pair costs as much as two of these. */
export const GAP_COST = 100;

/** The cost of a pair that is not allowed: crossings of another kind or name are never the same step. */
const FORBIDDEN_COST = Number.POSITIVE_INFINITY;

const outcomeCost = 10;
const insideCost = 5;
const inputOfSameCallCost = 20;
const inputCostMin = 30;
const inputCostRange = 80;

/** A number per distinct text, so that weighing a pair compares numbers. */
class Numbering {
  private readonly numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.numbers.get(text) ?? this.numbers.size;
    this.numbers.set(text, known);
    return known;
  }
}

interface Weighed {
  readonly label: number;
  readonly fingerprint: number;
  readonly input: number;
  readonly outcome: number;
  readonly inside: number;
  readonly toolCallId: string | undefined;
  readonly text: string;
  sample: Uint32Array | undefined;
}

function partText({ text, digest }: ComparablePart): string {
  return text === undefined ? `digest ${digest ?? ''}` : `text ${text}`;
}

/** Weighs pairs of siblings: 0 for equal ones, little for the same call with a changed outcome, more for changed inputs. */
export class PairCost {
  private readonly numbering = new Numbering();
  private readonly left: readonly Weighed[];
  private readonly right: readonly Weighed[];

  constructor(left: readonly ComparableCrossing[], right: readonly ComparableCrossing[]) {
    this.left = left.map((item) => this.weighed(item));
    this.right = right.map((item) => this.weighed(item));
  }

  private weighed(item: ComparableCrossing): Weighed {
    const { label, fingerprint, input, outcome, outcomeType, children, crossing } = item;
    return {
      label: this.numbering.of(`label ${label}`),
      fingerprint: this.numbering.of(`fingerprint ${fingerprint}`),
      input: this.numbering.of(`input ${partText(input)}`),
      outcome: this.numbering.of(`outcome ${outcomeType} ${partText(outcome)}`),
      inside: this.numbering.of(`inside ${children.map((child) => child.fingerprint).join()}`),
      toolCallId: crossing.toolCallId,
      text: input.text ?? '',
      sample: undefined,
    };
  }

  /** Whether two siblings are equal with everything below them. */
  isEqual(left: number, right: number): boolean {
    return this.left[left]?.fingerprint === this.right[right]?.fingerprint;
  }

  /** The cost of taking one crossing of each side for the same step, a whole number; the same in both directions. */
  of(leftIndex: number, rightIndex: number): number {
    const [left, right] = [this.left[leftIndex], this.right[rightIndex]];
    if (left === undefined || right === undefined || left.label !== right.label) return FORBIDDEN_COST;
    if (left.fingerprint === right.fingerprint) return 0;
    const rest = (left.outcome === right.outcome ? 0 : outcomeCost) + (left.inside === right.inside ? 0 : insideCost);
    if (left.input === right.input) return rest;
    const isSameCall = left.toolCallId !== undefined && left.toolCallId === right.toolCallId;
    if (isSameCall) return inputOfSameCallCost + rest;
    left.sample ??= wordSample(left.text);
    right.sample ??= wordSample(right.text);
    return inputCostMin + Math.round(inputCostRange * (1 - similarity(left.sample, right.sample))) + rest;
  }
}
