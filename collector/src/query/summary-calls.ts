import type { StoredItem, StoredSpan, SummarisedRun } from '../store/store.ts';

/** A trace to be summarised, which has at least one span. */
export interface AskedTrace {
  readonly traceId: string;
  readonly spans: readonly StoredSpan[];
  readonly logs: readonly StoredItem[] | undefined;
}

/** What the summary thread can be asked for. */
export interface SummaryCalls {
  /** Answers trace by trace; null where the log records of one are wanted and were not sent along. */
  summarise: {
    ask: {
      readonly traces: readonly AskedTrace[];
      /** Whether texts are wanted. */
      readonly keepsText: boolean;
    };
    answer: readonly (SummarisedRun | null)[];
  };
}
