import { setImmediate as nextTurn } from 'node:timers/promises';
import { SUMMARIES_PER_TURN, SUMMARY_DELAY_MS } from '../limits.ts';
import type { StaleTrace, Store } from '../store/store.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import { packSpans, type SummaryCalls } from './pack-spans.ts';

/** Keeps the summaries of runs current, a few at a time; a thread of its own makes them, started with the first. */
export class Summariser {
  private readonly store: Store;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private thread: WorkerLink<SummaryCalls> | undefined;
  private isStopped = false;

  constructor(store: Store) {
    this.store = store;
  }

  /** Works on what has changed, soon; appends of one burst share the work. A failure is left for a query to report. */
  wake(): void {
    if (this.timer !== undefined || this.isStopped) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.settle().catch(() => undefined);
    }, SUMMARY_DELAY_MS);
  }

  /** Resolves when every trace stored before this call has a current summary. */
  async settle(): Promise<void> {
    // A pass that is under way may have read its list before the newest append, so another follows it.
    await this.running?.catch(() => undefined);
    this.running ??= this.run().finally(() => {
      this.running = undefined;
    });
    await this.running;
  }

  /** Ends after the trace in work. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running?.catch(() => undefined);
    await this.thread?.stop();
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const stale = await this.store.staleTraces(SUMMARIES_PER_TURN);
      if (stale.length === 0) return;
      await Promise.all(stale.map((trace) => this.summarise(trace)));
      await nextTurn();
    }
  }

  private async summarise(trace: StaleTrace): Promise<void> {
    const { spans, memory } = packSpans(await this.store.readTrace(trace.tenant, trace.traceId));
    const ask = { traceId: trace.traceId, spans };
    const { summary, facets } = await this.startThread().call('summarise', ask, [memory]);
    await this.store.writeSummary(trace, summary, facets);
  }

  private startThread(): WorkerLink<SummaryCalls> {
    if (this.thread?.isEnded === true) this.thread = undefined;
    this.thread ??= new WorkerLink(new URL('./', import.meta.url), 'summary-worker', undefined);
    return this.thread;
  }
}
