import type { DiffEntry } from '../json/json-diff.ts';

/** The closed list of ways in which a replay can differ from its recording (DESIGN section 6). */
export const DIVERGENCE_KINDS = [
  'input-changed',
  'output-changed',
  'outcome-changed',
  'never-recorded',
  'exhausted',
  'unconsumed',
  'reordered',
  'moved',
  'schema-changed',
  'forbidden',
  'fixture-damaged',
  'environment-changed',
] as const;

/** One kind out of the closed list. */
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

/** A place in the user's code. */
export interface SourceLine {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The recorded crossing a report compares with. */
export interface Candidate {
  readonly spanId: string;
  readonly path: string;
}

/** Why one divergence is the consequence of another. */
export interface CausedBy {
  /** Id of the cause: a divergence (`d1`), or what the plan changed on purpose (`e1`). */
  readonly divergence: string;
  /**
   * `value`: the changed input contains a value that the cause changed. `order`: it came after the cause, in a situation
   * that no recording was made in.
   */
  readonly evidence: 'value' | 'order';
}

/** One way in which the replay differed from the recording. */
export interface Divergence {
  /** Short id, unique in its report: `d1`, `d2` … in the order of discovery. */
  readonly id: string;
  readonly kind: DivergenceKind;
  /** One sentence for people. */
  readonly message: string;
  /** Path of the crossing, of the live side where there is one. */
  readonly path: string;
  /** The service it was found in, where several took part. */
  readonly service?: string;
  readonly source?: SourceLine;
  readonly candidate?: Candidate;
  /** More than one recorded crossing could have been meant. */
  readonly ambiguous?: boolean;
  /** Of an effect: it could not be refused, and was found when it had happened. */
  readonly happened?: boolean;
  readonly difference?: readonly DiffEntry[];
  /** Differences found in all; more than `difference` lists where that was cut. */
  readonly differenceTotal?: number;
  /** Absent on a cause. */
  readonly causedBy?: CausedBy;
  /** Paths of the crossings that were answered although the situation they were recorded in no longer existed. */
  readonly stale?: readonly string[];
  /** The next thing to do, one imperative sentence. */
  readonly next: string;
}

/** A precondition that differs is told, but does not by itself mean that the agent behaved differently. */
export function isPrecondition(kind: DivergenceKind): boolean {
  return kind === 'environment-changed';
}
