import type { Crossing } from '../crossings/crossing.ts';

/** Where the set-up of a run was recorded, as the root of the run says (docs/adr/0033). */
export interface SetUpLink {
  /** The trace of the run of the process. */
  readonly traceId: string;
  /** The run of the process. */
  readonly spanId: string;
  /** How many crossings had begun directly inside it before the root did. */
  readonly count: number;
}

/** What a program did before a run of it began: crossings of the run of its process. */
export interface SetUp extends SetUpLink {
  /** The run of the process; made up, and pending, where it has not ended and so was not delivered. */
  readonly processRun: Crossing;
  /** The run of the process, and below it what had begun before; parents before children. */
  readonly crossings: readonly Crossing[];
  /** What the process began directly inside its run while this run went on, with all inside it; as far as known. */
  readonly beside: readonly Crossing[];
  /** What the process began directly inside its run once this run had ended, as closing what it had opened, with all inside it; as far as known. */
  readonly afterwards: readonly Crossing[];
}
