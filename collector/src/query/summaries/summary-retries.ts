import type { StaleTrace } from '../../store/store.ts';
import { SUMMARIES_RETRIED_MAX, SUMMARY_RETRY_FIRST_MS, SUMMARY_RETRY_MS_MAX } from '../limits.ts';

interface Retry {
  readonly trace: StaleTrace;
  readonly waitMs: number;
  dueMs: number;
  /** Whether it is being made again because its time has come; else because more of the run has. */
  isTried: boolean;
}

/**
 * Runs whose summaries lack content that lies elsewhere, because its host was away: they are made again after a while, and after twice as long each time
 * that it still is. Nothing else would, since nothing of the run changes. They are in memory alone.
 */
export class SummaryRetries {
  private readonly nowMs: () => number;
  private readonly retries = new Map<string, Retry>();

  constructor(nowMs: () => number = () => performance.now()) {
    this.nowMs = nowMs;
  }

  /** Notes how a summary came out; of too many that lack something the oldest are given up. */
  note(trace: StaleTrace, mayBeCompleted: boolean): void {
    const key = `${trace.traceId} ${trace.tenant}`;
    const known = this.retries.get(key);
    this.retries.delete(key);
    if (!mayBeCompleted) return;
    this.retries.set(key, known?.isTried === false ? { ...known, trace } : this.next(trace, known?.waitMs));
    for (const oldest of this.retries.keys()) {
      if (this.retries.size <= SUMMARIES_RETRIED_MAX) break;
      this.retries.delete(oldest);
    }
  }

  private next(trace: StaleTrace, waitedMs: number | undefined): Retry {
    const waitMs = waitedMs === undefined ? SUMMARY_RETRY_FIRST_MS : Math.min(2 * waitedMs, SUMMARY_RETRY_MS_MAX);
    return { trace, waitMs, dueMs: this.nowMs() + waitMs, isTried: false };
  }

  /** Those whose time has come. Each comes again until it is noted how it came out. */
  takeDue(): StaleTrace[] {
    const now = this.nowMs();
    const due: StaleTrace[] = [];
    for (const retry of this.retries.values()) {
      if (retry.dueMs > now) continue;
      retry.dueMs = now + retry.waitMs;
      retry.isTried = true;
      due.push(retry.trace);
    }
    return due;
  }

  /** How long it is until the next is due, milliseconds; undefined where there is none. */
  nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const { dueMs } of this.retries.values()) next = Math.min(next ?? Number.POSITIVE_INFINITY, dueMs);
    return next === undefined ? undefined : Math.max(next - this.nowMs(), 0);
  }
}
