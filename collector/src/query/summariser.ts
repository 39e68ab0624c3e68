import { setImmediate as nextTurn } from 'node:timers/promises';
import { toReenactError } from '@reenact/trace-model';
import { SUMMARIES_PER_TURN, SUMMARY_DELAY_MS } from '../limits.ts';
import type { StaleTrace, Store, StoredSpan } from '../store/store.ts';
import { decodeTrace } from './decode-trace.ts';
import { type SummarisedRun, summariseRun, unreadableRun } from './run-summary.ts';

/** Keeps the summaries of runs current, a few at a time between requests. */
export class Summariser {
  private readonly store: Store;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
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
    const spans = await this.store.readTrace(trace.tenant, trace.traceId);
    const conflicting = spans.filter(({ isConflicting }) => isConflicting).length;
    const { summary, facets } = summarise(trace.traceId, spans, conflicting);
    await this.store.writeSummary(trace, summary, facets);
  }
}

/** A trace that cannot be decoded must not hide the others from a list, so it is listed as damaged. */
function summarise(traceId: string, spans: readonly StoredSpan[], conflicting: number): SummarisedRun {
  try {
    return summariseRun(decodeTrace(spans), conflicting);
  } catch (thrown) {
    return unreadableRun(traceId, spans[0]?.spanId ?? '', spans.length, toReenactError(thrown));
  }
}
