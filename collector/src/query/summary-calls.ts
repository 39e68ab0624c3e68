import type { StoredItem, StoredSpan, SummarisedRun } from '../store/store.ts';

/** What the summary thread can be asked for. */
export interface SummaryCalls {
  /** A trace that has at least one span. The answer is null where its log records are wanted and were not sent along. */
  summarise: {
    ask: {
      traceId: string;
      spans: readonly StoredSpan[];
      logs: readonly StoredItem[] | undefined;
      /** Whether its texts are wanted. */
      keepsText: boolean;
    };
    answer: SummarisedRun | null;
  };
}
