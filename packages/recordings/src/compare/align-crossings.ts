import { GAP_COST, PairCost } from './alignment-cost.ts';
import type { ComparableCrossing } from './comparable-crossing.ts';
import { ALIGNMENT_PAIRS_MAX } from './limits.ts';

/** One step of an alignment: the same step on both sides, or one that only one side has. Numbers index the lists. */
export interface AlignedStep {
  readonly left?: number;
  readonly right?: number;
}

/** Two lists of siblings side by side, in order. */
export interface SiblingAlignment {
  readonly steps: readonly AlignedStep[];
  /** False where the lists were too long to weigh every pair, so that a better alignment may exist. */
  readonly isOptimal: boolean;
}

/** A stretch of both lists: from inclusive, to exclusive. */
interface Stretch {
  readonly leftFrom: number;
  readonly leftTo: number;
  readonly rightFrom: number;
  readonly rightTo: number;
}

const PAIR = 1;
const LEFT_ONLY = 2;
const RIGHT_ONLY = 3;

/** Which columns of one row are weighed. */
interface Band {
  readonly from: number;
  readonly to: number;
}

/** Every column where the budget allows it, else those around the line from corner to corner. */
function bandsOf(rows: number, columns: number): Band[] {
  const isWhole = rows * columns <= ALIGNMENT_PAIRS_MAX;
  const slope = columns / Math.max(1, rows);
  const half = Math.max(Math.ceil(slope) + 1, Math.floor(ALIGNMENT_PAIRS_MAX / Math.max(1, rows) / 2));
  return Array.from({ length: rows + 1 }, (_, row) => {
    if (isWhole) return { from: 0, to: columns };
    const middle = Math.round(row * slope);
    return { from: Math.max(0, middle - half), to: Math.min(columns, middle + half) };
  });
}

/** Needleman–Wunsch over one stretch: the cheapest alignment among those inside the bands. */
class StretchAligner {
  private readonly cost: PairCost;
  private readonly stretch: Stretch;
  private readonly bands: readonly Band[];
  private readonly moves: readonly Uint8Array[];

  constructor(cost: PairCost, stretch: Stretch) {
    this.cost = cost;
    this.stretch = stretch;
    const rows = stretch.leftTo - stretch.leftFrom;
    this.bands = bandsOf(rows, stretch.rightTo - stretch.rightFrom);
    this.moves = this.bands.map(({ from, to }) => new Uint8Array(to - from + 1));
  }

  private fillRow(row: number, above: Float64Array | undefined): Float64Array {
    const band = this.bands[row] ?? { from: 0, to: 0 };
    const aboveFrom = this.bands[row - 1]?.from ?? 0;
    const moves = this.moves[row] ?? new Uint8Array(0);
    const costs = new Float64Array(moves.length);
    const { leftFrom, rightFrom } = this.stretch;
    for (let column = band.from; column <= band.to; column += 1) {
      const at = column - band.from;
      if (row === 0 && column === 0) continue;
      let best = Number.POSITIVE_INFINITY;
      const diagonal = column === 0 ? undefined : above?.[column - 1 - aboveFrom];
      if (diagonal !== undefined) {
        best = diagonal + this.cost.of(leftFrom + row - 1, rightFrom + column - 1);
        moves[at] = PAIR;
      }
      const over = above?.[column - aboveFrom];
      if (over !== undefined && over + GAP_COST < best) {
        best = over + GAP_COST;
        moves[at] = LEFT_ONLY;
      }
      const before = at === 0 ? undefined : costs[at - 1];
      if (before !== undefined && before + GAP_COST < best) {
        best = before + GAP_COST;
        moves[at] = RIGHT_ONLY;
      }
      costs[at] = best;
    }
    return costs;
  }

  align(): AlignedStep[] {
    let above: Float64Array | undefined;
    for (let row = 0; row < this.bands.length; row += 1) above = this.fillRow(row, above);
    return this.trace();
  }

  private trace(): AlignedStep[] {
    const { leftFrom, leftTo, rightFrom, rightTo } = this.stretch;
    const steps: AlignedStep[] = [];
    let [row, column] = [leftTo - leftFrom, rightTo - rightFrom];
    while (row > 0 || column > 0) {
      const move = this.moves[row]?.[column - (this.bands[row]?.from ?? 0)];
      if (move !== RIGHT_ONLY) row -= 1;
      if (move !== LEFT_ONLY) column -= 1;
      steps.push({
        ...(move === RIGHT_ONLY ? {} : { left: leftFrom + row }),
        ...(move === LEFT_ONLY ? {} : { right: rightFrom + column }),
      });
    }
    return steps.reverse();
  }
}

/** Pairs of equal crossings that occur once on each side, in the longest order both sides share (patience sorting). */
function anchorsOf(left: readonly string[], right: readonly string[], stretch: Stretch): [number, number][] {
  const once = (list: readonly string[], from: number, to: number): Map<string, number> => {
    const places = new Map<string, number>();
    for (let index = from; index < to; index += 1) {
      const text = list[index] ?? '';
      places.set(text, places.has(text) ? -1 : index);
    }
    return places;
  };
  const onRight = once(right, stretch.rightFrom, stretch.rightTo);
  const pairs = [...once(left, stretch.leftFrom, stretch.leftTo)].flatMap(([text, at]): [number, number][] => {
    const partner = onRight.get(text) ?? -1;
    return at < 0 || partner < 0 ? [] : [[at, partner]];
  });
  return longestRising(pairs);
}

function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  pairs.forEach(([, value], index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    before[index] = low === 0 ? undefined : ends[low - 1];
    ends[low] = index;
  });
  const rising: [number, number][] = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) {
    const pair = pairs[at];
    if (pair !== undefined) rising.push(pair);
  }
  return rising.reverse();
}

/** Aligns one direction only; ties are decided towards the first list. */
function alignOneWay(left: readonly ComparableCrossing[], right: readonly ComparableCrossing[]): SiblingAlignment {
  const cost = new PairCost(left, right);
  let start = 0;
  while (start < left.length && start < right.length && cost.isEqual(start, start)) start += 1;
  let [leftTo, rightTo] = [left.length, right.length];
  while (leftTo > start && rightTo > start && cost.isEqual(leftTo - 1, rightTo - 1)) {
    leftTo -= 1;
    rightTo -= 1;
  }
  const core: Stretch = { leftFrom: start, leftTo, rightFrom: start, rightTo };
  const pairs = (from: number, count: number, shift: number): AlignedStep[] =>
    Array.from({ length: count }, (_, index) => ({ left: from + index, right: from + index + shift }));
  const isOptimal = (leftTo - start) * (rightTo - start) <= ALIGNMENT_PAIRS_MAX;
  const middle = isOptimal ? new StretchAligner(cost, core).align() : alignAtAnchors(cost, core, left, right);
  const steps = [...pairs(0, start, 0), ...middle, ...pairs(leftTo, left.length - leftTo, rightTo - leftTo)];
  return { steps, isOptimal };
}

function alignAtAnchors(
  cost: PairCost,
  core: Stretch,
  left: readonly ComparableCrossing[],
  right: readonly ComparableCrossing[],
): AlignedStep[] {
  const fingerprints = (list: readonly ComparableCrossing[]): string[] => list.map(({ fingerprint }) => fingerprint);
  const steps: AlignedStep[] = [];
  let { leftFrom, rightFrom } = core;
  const anchors = anchorsOf(fingerprints(left), fingerprints(right), core);
  for (const [leftTo, rightTo] of [...anchors, [core.leftTo, core.rightTo] as const]) {
    steps.push(...new StretchAligner(cost, { leftFrom, leftTo, rightFrom, rightTo }).align());
    if (leftTo < core.leftTo || rightTo < core.rightTo) steps.push({ left: leftTo, right: rightTo });
    [leftFrom, rightFrom] = [leftTo + 1, rightTo + 1];
  }
  return steps;
}

function mirrored({ left, right }: AlignedStep): AlignedStep {
  return { ...(right === undefined ? {} : { left: right }), ...(left === undefined ? {} : { right: left }) };
}

function isSwapped(left: readonly ComparableCrossing[], right: readonly ComparableCrossing[]): boolean {
  for (let index = 0; index < Math.max(left.length, right.length); index += 1) {
    const [first = '', second = ''] = [left[index]?.fingerprint, right[index]?.fingerprint];
    if (first !== second) return first > second;
  }
  return false;
}

/**
 * Aligns two lists of siblings globally, so that a step which only one side has shifts nothing. Crossings of another kind
 * or name are never paired. Weighs every pair up to ALIGNMENT_PAIRS_MAX; longer lists are cut where crossings are equal and
 * unique, and each stretch that is still too long is aligned in a band. Swapping the lists mirrors the result: ties are
 * decided by content and not by side.
 */
export function alignCrossings(
  left: readonly ComparableCrossing[],
  right: readonly ComparableCrossing[],
): SiblingAlignment {
  if (!isSwapped(left, right)) return alignOneWay(left, right);
  const { steps, isOptimal } = alignOneWay(right, left);
  return { steps: steps.map(mirrored), isOptimal };
}
