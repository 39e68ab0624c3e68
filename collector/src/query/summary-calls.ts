import type { SummarisedRun, TraceName } from '../store/store.ts';

/** What the summary thread can be asked for. */
export interface SummaryCalls {
  /** Answers the first of these traces, at least one: as many as are read together. */
  summarise: {
    ask: {
      readonly traces: readonly TraceName[];
      /** Whether texts are wanted. */
      readonly keepsText: boolean;
    };
    answer: readonly (SummarisedRun | null)[];
  };
}
