import type { StepStatus } from './aligned-node.ts';
import type { DiffTotals, DiffVerdict } from './recording-diff.ts';

/** What is told of a step; the collector's answers have it, too. */
export interface ToldStep {
  readonly status: StepStatus;
  readonly moved?: boolean | undefined;
  readonly left?: { readonly path: string } | undefined;
  readonly right?: { readonly path: string } | undefined;
  readonly crossings?: number | undefined;
}

/** What is told of a comparison as a whole. */
export interface ToldComparison {
  readonly verdict: DiffVerdict;
  readonly differenceTotal: number;
}

function plural(count: number, singular: string): string {
  return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

/** What became of a step, in a few words; the recordings are called a and b as on the command line. */
export function statusWords({ status, moved, left, crossings = 1 }: ToldStep): string {
  const inside = crossings > 1 ? `, with ${plural(crossings - 1, 'crossing')} inside` : '';
  const place = moved === true ? `moved from ${left?.path ?? ''}` : '';
  switch (status) {
    case 'equal':
      return place;
    case 'input-changed':
      return ['input changed', place].filter((word) => word !== '').join(', ');
    case 'outcome-changed':
      return ['outcome changed', place].filter((word) => word !== '').join(', ');
    case 'input-and-outcome-changed':
      return ['input and outcome changed', place].filter((word) => word !== '').join(', ');
    case 'removed':
      return `only in a${inside}`;
    case 'inserted':
      return `only in b${inside}`;
  }
}

/** Path of a step, of the first recording where it has the step. */
export function pathOf({ left, right }: Pick<ToldStep, 'left' | 'right'>): string {
  return left?.path ?? right?.path ?? '';
}

/** The verdict in one sentence. */
export function diffHeadline({ verdict, differenceTotal }: ToldComparison): string {
  switch (verdict) {
    case 'equal':
      return 'Equal: every step was compared, and none differs.';
    case 'different':
      return `Different: ${differenceTotal === 1 ? '1 step differs' : `${differenceTotal} steps differ`}.`;
    case 'unverified':
      return 'Not verified: nothing differs in what was recorded, but not everything was.';
  }
}

/** What differs first, in one sentence; undefined where nothing does. */
export function firstDifferenceText({
  differences,
}: {
  readonly differences: readonly ToldStep[];
}): string | undefined {
  const [first] = differences;
  if (first === undefined) return undefined;
  const more = differences.length > 1 ? ' The others may follow from it.' : '';
  return `First: ${pathOf(first)}, ${statusWords(first)}.${more}`;
}

/** Crossings by what became of them, in one line. */
export function totalsText(totals: DiffTotals): string {
  const counted: [number, string][] = [
    [totals.equal, 'equal'],
    [totals['input-changed'], 'with a changed input'],
    [totals['outcome-changed'], 'with a changed outcome'],
    [totals['input-and-outcome-changed'], 'with both changed'],
    [totals.removed, 'only in a'],
    [totals.inserted, 'only in b'],
    [totals.moved, 'moved'],
  ];
  const words = counted.filter(([count], index) => count > 0 || index === 0).map(([count, word]) => `${count} ${word}`);
  const unknown = totals.notCompared > 0 ? ` · ${plural(totals.notCompared, 'part')} not compared` : '';
  return `Crossings: ${words.join(' · ')}${unknown}`;
}
