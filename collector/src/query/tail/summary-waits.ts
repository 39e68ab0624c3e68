import type { StaleTrace } from '../../store/store.ts';
import { SUMMARY_WAITS_MAX } from '../limits.ts';

/** Since when a run holds tails up. */
interface Wait {
  readonly sinceMs: number;
  /** How many batches of summaries had been written by then. */
  readonly batches: number;
}

/**
 * How long runs that wait for their summary have held up the tails of their tenant, whichever reader saw it first. One that holds them up for too long is
 * passed over, but not while nothing is summarised at all, as on a full disk: all of them would be.
 */
export class SummaryWaits {
  private readonly waitMsMax: number;
  private readonly nowMs: () => number;
  private readonly waits = new Map<string, Wait>();
  private batches = 0;

  constructor(waitMsMax: number, nowMs: () => number = () => performance.now()) {
    this.waitMsMax = waitMsMax;
    this.nowMs = nowMs;
  }

  /** Told after each batch of summaries. */
  noteBatch(): void {
    this.batches += 1;
  }

  /** Whether a run that is the first to wait is passed over now. */
  isOver({ tenant, traceId, change }: StaleTrace): boolean {
    const key = `${change} ${traceId} ${tenant}`;
    const wait = this.waits.get(key);
    if (wait !== undefined) return this.batches > wait.batches && this.nowMs() - wait.sinceMs >= this.waitMsMax;
    this.waits.set(key, { sinceMs: this.nowMs(), batches: this.batches });
    for (const oldest of this.waits.keys()) {
      if (this.waits.size <= SUMMARY_WAITS_MAX) break;
      this.waits.delete(oldest);
    }
    return false;
  }
}
