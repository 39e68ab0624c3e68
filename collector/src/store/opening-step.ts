/** Where the opening of a store that takes long has come to. */
export interface OpeningStep {
  /** What is done, such as "emptying summaries". */
  readonly what: string;
  /** How much of it is done; both are 0 where nobody knows. */
  readonly done: number;
  readonly total: number;
}

/** Told of each step; never throws. */
export type TellOpening = (step: OpeningStep) => void;
