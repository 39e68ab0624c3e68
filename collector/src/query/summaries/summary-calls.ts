import type { SummarisedRun, TraceName } from '../../store/store.ts';

/** A summary that was made, and of how many bytes of spans. */
export interface MadeSummary {
  /** Null where the trace is gone. */
  readonly run: SummarisedRun | null;
  readonly bytes: number;
  /** Whether it lacks content that lies elsewhere and may be had later, as where its host is away. */
  readonly mayBeCompleted?: boolean;
}

/** What the summary thread can be asked for. */
export interface SummaryCalls {
  /** Answers the first of these traces, at least one: as many as are read together. */
  summarise: {
    ask: {
      readonly traces: readonly TraceName[];
      /** Whether texts are wanted. */
      readonly keepsText: boolean;
    };
    answer: readonly MadeSummary[];
  };
}
