import type { StepStatus } from './aligned-node.ts';
import type { EnvironmentDifference } from './environment-differences.ts';
import type { TreeDifference } from './tree-difference.ts';

/** A crossing of one of the two recordings. */
export interface CrossingReference {
  readonly path: string;
  readonly spanId: string;
}

/** One step of the two runs, with what is below it. */
export interface DiffStep {
  readonly status: StepStatus;
  /** On both sides, at another place. */
  readonly moved?: true;
  readonly left?: CrossingReference;
  readonly right?: CrossingReference;
  /** Number of its entry in `differences`, from 1; absent where the step does not differ, or is over the limit. */
  readonly difference?: number;
  readonly children: readonly DiffStep[];
}

/** One step that differs. */
export interface StepDifference {
  readonly status: StepStatus;
  readonly moved?: true;
  readonly left?: CrossingReference;
  readonly right?: CrossingReference;
  readonly input?: TreeDifference;
  readonly outcome?: TreeDifference;
  /** Removed and inserted steps: how many crossings are gone or new, itself and those below that did not move elsewhere. */
  readonly crossings?: number;
}

/** Which run one side of a comparison is. */
export interface DiffSide {
  readonly traceId: string;
  readonly rootSpanId: string;
  readonly rootPath: string;
  readonly service?: string;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Crossings of the run, its root included. */
  readonly crossings: number;
}

/** `equal`: everything was compared and nothing differs; `unverified`: nothing differs, but not all could be compared. */
export type DiffVerdict = 'equal' | 'different' | 'unverified';

/** Exit code of each verdict. */
export const DIFF_EXIT_CODES = { equal: 0, different: 1, unverified: 2 } as const satisfies Record<DiffVerdict, number>;

/** Crossings of a comparison by what became of them. */
export interface DiffTotals extends Readonly<Record<StepStatus, number>> {
  /** Of the pairs above, those at another place. */
  readonly moved: number;
  /** Inputs and outcomes that could not be compared because they were not recorded. */
  readonly notCompared: number;
}

/** Everything a comparison of two recordings found: the one format behind text, JSON and Markdown. Version 1. */
export interface RecordingDiff {
  readonly version: 1;
  readonly verdict: DiffVerdict;
  readonly left: DiffSide;
  readonly right: DiffSide;
  readonly totals: DiffTotals;
  /** What the runs were made of differently; told apart, because it does not by itself make a run different. */
  readonly environment: readonly EnvironmentDifference[];
  /** In the order in which the runs met them, the first first, because the others may follow from it. Bounded. */
  readonly differences: readonly StepDifference[];
  readonly differenceTotal: number;
  readonly tree: DiffStep;
  /** Limits of this comparison that a reader must know. */
  readonly notes: readonly string[];
}
