/** One of the two runs that are compared. */
export interface ComparedRun {
  readonly traceId: string;
  /** Undefined where a whole trace was named. */
  readonly spanId: string | undefined;
  /** As it was asked for. */
  readonly named: string;
}

/** What a comparison is asked for with. */
export interface ComparisonAsk {
  readonly tenant: string;
  readonly left: ComparedRun;
  readonly right: ComparedRun;
  readonly exact: boolean;
}

/** What the thread that compares can be asked for. */
export interface ComparisonCalls {
  /** Answers a JSON document, made where it takes no time from those who send. */
  compare: { ask: ComparisonAsk; answer: string };
}
