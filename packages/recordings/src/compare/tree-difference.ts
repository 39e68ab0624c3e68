import {
  canonicalJson,
  diffTrees,
  isTree,
  JSON_IN_TEXT_STEP,
  jsonInTexts,
  pathStep,
  wordFor,
} from '@reenact/trace-model';
import { ARRAY_PAIRS_MAX, PLACES_LISTED_MAX, VECTOR_CHARACTERS_MAX, VECTOR_NUMBERS_MIN } from './limits.ts';

/** One place where two JSON trees differ. A side is absent where the value does not exist there. */
export interface DifferingPlace {
  /** JSON path on the left, into the JSON that a text holds behind ` › `; on the right where only the right has the place. */
  readonly path: string;
  /** JSON path on the right where it is another one, because members were added or removed before it. */
  readonly rightPath?: string;
  /** JSON of the value, cut around the first difference where it is long. */
  readonly left?: string;
  readonly right?: string;
}

/** The places where two trees differ, bounded; `total` counts also those that are not listed. */
export interface TreeDifference {
  readonly places: readonly DifferingPlace[];
  readonly total: number;
}

interface Pair {
  readonly left: number | undefined;
  readonly right: number | undefined;
}

/** The longest common part of two lists, as pairs of places; the classic table, small by ARRAY_PAIRS_MAX. */
function commonPairs(left: readonly string[], right: readonly string[]): [number, number][] {
  const width = right.length + 1;
  const lengths = new Uint32Array((left.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = left.length - 1; row >= 0; row -= 1) {
    for (let column = right.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        left[row] === right[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: [number, number][] = [];
  let [row, column] = [0, 0];
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** Members between two common ones: paired by position, and what is left over stands alone. */
function pairsBetween(left: [number, number], right: [number, number]): Pair[] {
  const length = Math.max(left[1] - left[0], right[1] - right[0]);
  return Array.from({ length }, (_, index) => ({
    left: left[0] + index < left[1] ? left[0] + index : undefined,
    right: right[0] + index < right[1] ? right[0] + index : undefined,
  }));
}

/** The differing members of two arrays; a member that was added shifts the ones after it without marking them. */
function differingMembers(leftItems: readonly unknown[], rightItems: readonly unknown[]): Pair[] {
  const [left, right] = [leftItems.map(canonicalJson), rightItems.map(canonicalJson)];
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start += 1;
  let [leftEnd, rightEnd] = [left.length, right.length];
  while (leftEnd > start && rightEnd > start && left[leftEnd - 1] === right[rightEnd - 1]) {
    leftEnd -= 1;
    rightEnd -= 1;
  }
  const isSmall = (leftEnd - start) * (rightEnd - start) <= ARRAY_PAIRS_MAX;
  const common = isSmall ? commonPairs(left.slice(start, leftEnd), right.slice(start, rightEnd)) : [];
  const pairs: Pair[] = [];
  let [atLeft, atRight] = [start, start];
  for (const [toLeft, toRight] of [...common, [leftEnd - start, rightEnd - start] as const]) {
    pairs.push(...pairsBetween([atLeft, start + toLeft], [atRight, start + toRight]));
    [atLeft, atRight] = [start + toLeft + 1, start + toRight + 1];
  }
  return pairs;
}

function member(tree: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(tree, key) ? tree[key] : undefined;
}

function isVector(value: unknown): value is number[] {
  return Array.isArray(value) && value.length >= VECTOR_NUMBERS_MIN && value.every((item) => typeof item === 'number');
}

function vectorText(text: string, length: number): string {
  const cut = text.length > VECTOR_CHARACTERS_MAX ? `${text.slice(0, VECTOR_CHARACTERS_MAX)}…` : text;
  return `${cut} (${length} numbers)`;
}

class TreeDiffer {
  readonly places: DifferingPlace[] = [];
  total = 0;

  private add(left: unknown, right: unknown, leftPath: string, rightPath: string): void {
    this.total += 1;
    if (this.places.length >= PLACES_LISTED_MAX) return;
    const path = left === undefined ? rightPath : leftPath;
    const isMoved = left !== undefined && right !== undefined && leftPath !== rightPath;
    const [entry] = diffTrees(left, right).entries;
    this.places.push({
      path,
      ...(isMoved ? { rightPath } : {}),
      ...(entry?.recorded === undefined ? {} : { left: entry.recorded }),
      ...(entry?.live === undefined ? {} : { right: entry.live }),
    });
  }

  /** A vector is one value: nobody reads which of its numbers changed. */
  private addVectors(left: readonly unknown[], right: readonly unknown[], leftPath: string, rightPath: string): void {
    const [leftText, rightText] = [canonicalJson(left), canonicalJson(right)];
    if (leftText === rightText) return;
    this.total += 1;
    if (this.places.length >= PLACES_LISTED_MAX) return;
    const isMoved = leftPath !== rightPath;
    const texts = { left: vectorText(leftText, left.length), right: vectorText(rightText, right.length) };
    this.places.push({ path: leftPath, ...(isMoved ? { rightPath } : {}), ...texts });
  }

  compare(left: unknown, right: unknown, leftPath: string, rightPath: string): void {
    if (isVector(left) && isVector(right)) {
      this.addVectors(left, right, leftPath, rightPath);
      return;
    }
    if (Array.isArray(left) && Array.isArray(right)) {
      for (const pair of differingMembers(left, right)) {
        const [leftStep, rightStep] = [pathStep(pair.left ?? pair.right ?? 0), pathStep(pair.right ?? pair.left ?? 0)];
        const leftItem: unknown = pair.left === undefined ? undefined : left[pair.left];
        const rightItem: unknown = pair.right === undefined ? undefined : right[pair.right];
        this.compare(leftItem, rightItem, leftPath + leftStep, rightPath + rightStep);
      }
      return;
    }
    if (isTree(left) && isTree(right)) {
      this.compareMembers(left, right, leftPath, rightPath);
      return;
    }
    if (!Object.is(left, right) && !this.differsInText(left, right, leftPath, rightPath))
      this.add(left, right, leftPath, rightPath);
  }

  private compareMembers(
    left: Record<string, unknown>,
    right: Record<string, unknown>,
    leftPath: string,
    rightPath: string,
  ): void {
    if (wordFor(left) !== undefined && wordFor(right) !== undefined) {
      if (canonicalJson(left) !== canonicalJson(right)) this.add(left, right, leftPath, rightPath);
      return;
    }
    for (const key of new Set([...Object.keys(left), ...Object.keys(right)]))
      this.compare(member(left, key), member(right, key), leftPath + pathStep(key), rightPath + pathStep(key));
  }

  /** Texts that differ in nothing but how their JSON is written differ as texts, and so do those behind what is listed: nobody sees where. */
  private differsInText(left: unknown, right: unknown, leftPath: string, rightPath: string): boolean {
    const { total } = this;
    if (this.places.length >= PLACES_LISTED_MAX) return false;
    const trees = jsonInTexts(left, right);
    if (trees !== undefined) this.compare(...trees, leftPath + JSON_IN_TEXT_STEP, rightPath + JSON_IN_TEXT_STEP);
    return this.total > total;
  }
}

/** Compares two JSON trees. Key order does not count; arrays are aligned, so that an added member marks only itself. */
export function treeDifference(left: unknown, right: unknown): TreeDifference {
  const differ = new TreeDiffer();
  differ.compare(left, right, '$', '$');
  return { places: differ.places, total: differ.total };
}
