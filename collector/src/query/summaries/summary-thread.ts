import type { CollectorConfig } from '../../config.ts';
import { THREAD_YOUNG_GENERATION_MB } from '../../limits.ts';
import type { ThreadAccess, TraceName } from '../../store/store.ts';
import { WorkerLink } from '../../threads/worker-link.ts';
import { SUMMARY_YOUNG_GENERATION_MB } from '../limits.ts';
import type { MadeSummary, SummaryCalls } from './summary-calls.ts';

/** Makes summaries of traces. */
export interface SummaryMaker {
  /** Summarises the first of these traces, at least one. */
  summarise(traces: readonly TraceName[], keepsText: boolean): Promise<readonly MadeSummary[]>;
  stop(): Promise<void>;
}

/** Makes summaries on a thread of their own, which reads what it needs by itself and starts with the first. */
export class SummaryThread implements SummaryMaker {
  private readonly access: ThreadAccess;
  private readonly references: CollectorConfig['references'] | undefined;
  private thread: WorkerLink<SummaryCalls> | undefined;

  constructor(access: ThreadAccess, references: CollectorConfig['references'] | undefined) {
    this.access = access;
    this.references = references;
  }

  async summarise(traces: readonly TraceName[], keepsText: boolean): Promise<readonly MadeSummary[]> {
    if (this.thread?.isEnded === true) this.thread = undefined;
    this.thread ??= this.startThread();
    return this.thread.call('summarise', { traces, keepsText });
  }

  async stop(): Promise<void> {
    await this.thread?.stop();
  }

  private startThread(): WorkerLink<SummaryCalls> {
    const { access, references } = this;
    const isPlenty = (access.memoryShare ?? 1) === 1;
    const youngGenerationMb = isPlenty ? SUMMARY_YOUNG_GENERATION_MB : THREAD_YOUNG_GENERATION_MB;
    const workerData = { access, references };
    return new WorkerLink(new URL('./', import.meta.url), 'summary-worker', workerData, { youngGenerationMb });
  }
}
