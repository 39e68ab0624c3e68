import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CollectorConfig } from '../config.ts';
import { SUMMARIES_PER_TURN, SUMMARY_DELAY_MS } from '../limits.ts';
import type { StaleTrace, Store, StoredItem, SummarisedRun } from '../store/store.ts';
import { WorkerLink } from '../threads/worker-link.ts';
import { packItems } from './pack-items.ts';
import type { SummaryCalls } from './summary-calls.ts';

/** What a summariser does beside summarising. */
export interface SummariserOptions {
  /** Where content may be fetched from that lies elsewhere; nothing is where this is left out. */
  readonly references?: CollectorConfig['references'];
  /** Told after summaries were written. */
  readonly onSummarised?: () => void;
}

/** Keeps the summaries of runs current, a few at a time; a thread of its own makes them, started with the first. */
export class Summariser {
  private readonly store: Store;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private thread: WorkerLink<SummaryCalls> | undefined;
  private isStopped = false;
  private readonly options: SummariserOptions;

  constructor(store: Store, options: SummariserOptions = {}) {
    this.store = store;
    this.options = options;
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
      this.options.onSummarised?.();
      await nextTurn();
    }
  }

  private async summarise(trace: StaleTrace): Promise<void> {
    const { tenant, traceId } = trace;
    // Few traces want their log records, and some have thousands: they are sent along only when asked for.
    const run =
      (await this.askThread(trace, undefined)) ??
      (await this.askThread(trace, await this.store.readLogs(tenant, traceId)));
    if (run !== null) await this.store.writeSummary(trace, run);
  }

  private async askThread(
    { tenant, traceId }: StaleTrace,
    logs: readonly StoredItem[] | undefined,
  ): Promise<SummarisedRun | null> {
    const spans = packItems(await this.store.readTrace(tenant, traceId));
    const packed = logs === undefined ? undefined : packItems(logs);
    const { findsText } = this.store.capabilities;
    const ask = { traceId, spans: spans.items, logs: packed?.items, keepsText: findsText };
    const memory = [spans.memory, ...(packed === undefined ? [] : [packed.memory])];
    return this.startThread().call('summarise', ask, memory);
  }

  private startThread(): WorkerLink<SummaryCalls> {
    if (this.thread?.isEnded === true) this.thread = undefined;
    this.thread ??= new WorkerLink(new URL('./', import.meta.url), 'summary-worker', {
      references: this.options.references,
    });
    return this.thread;
  }
}
