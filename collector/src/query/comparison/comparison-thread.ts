import { ReenactError } from '@reenact/trace-model';
import type { CollectorConfig } from '../../config.ts';
import type { ThreadAccess } from '../../store/store.ts';
import { WorkerLink } from '../../threads/worker-link.ts';
import {
  COMPARISON_MS_MAX,
  COMPARISON_THREAD_IDLE_MS,
  COMPARISONS_HELD_MAX,
  COMPARISONS_OF_TENANT_MAX,
} from '../limits.ts';
import type { ComparisonAsk, ComparisonCalls } from './comparison-calls.ts';
import { TenantTurns } from './tenant-turns.ts';

/** How patient comparisons are. */
export interface ComparisonTimes {
  /** How long one may take at most, with its wait for others, milliseconds. */
  readonly msMax: number;
  /** How long the thread stays that nobody asks, milliseconds. */
  readonly idleMs: number;
}

/**
 * Compares runs on a thread of their own, one after the other and in turn by tenant: two runs in memory are as large as this may get. The thread starts with the first
 * comparison, and ends where one takes too long, and some time after the last one.
 */
export class ComparisonThread {
  private readonly access: ThreadAccess;
  private readonly references: CollectorConfig['references'] | undefined;
  private readonly times: ComparisonTimes;
  private thread: WorkerLink<ComparisonCalls> | undefined;
  private readonly turns = new TenantTurns();
  private readonly heldBy = new Map<string, number>();
  private idle: NodeJS.Timeout | undefined;

  constructor(
    access: ThreadAccess,
    references: CollectorConfig['references'] | undefined,
    times: ComparisonTimes = { msMax: COMPARISON_MS_MAX, idleMs: COMPARISON_THREAD_IDLE_MS },
  ) {
    this.access = access;
    this.references = references;
    this.times = times;
  }

  /** A JSON document. Throws ReenactError: `store-busy` where too many wait, `too-large` where it takes too long, and as `RunComparer` does. */
  async compare(ask: ComparisonAsk): Promise<string> {
    const { tenant } = ask;
    const ofTenant = this.heldBy.get(tenant) ?? 0;
    if (ofTenant >= COMPARISONS_OF_TENANT_MAX || this.held >= COMPARISONS_HELD_MAX) throw busy();
    const { held, times } = this;
    this.hold(tenant, 1);
    clearTimeout(this.idle);
    const dueMs = performance.now() + times.msMax;
    await this.turns.enter(tenant);
    try {
      // One that nobody was before has all of its time, also where this process paused meanwhile.
      return await this.compareBy(ask, held === 0 ? times.msMax : dueMs - performance.now());
    } finally {
      this.turns.leave();
      this.hold(tenant, -1);
      if (this.held === 0) this.idle = setTimeout(() => void this.stop(), this.times.idleMs).unref();
    }
  }

  async stop(): Promise<void> {
    clearTimeout(this.idle);
    const { thread } = this;
    this.thread = undefined;
    await thread?.stop();
  }

  private get held(): number {
    return [...this.heldBy.values()].reduce((sum, count) => sum + count, 0);
  }

  private hold(tenant: string, change: number): void {
    const count = (this.heldBy.get(tenant) ?? 0) + change;
    if (count === 0) this.heldBy.delete(tenant);
    else this.heldBy.set(tenant, count);
  }

  private async compareBy(ask: ComparisonAsk, leftMs: number): Promise<string> {
    if (leftMs <= 0) throw busy();
    if (this.thread?.isEnded === true) this.thread = undefined;
    this.thread ??= this.startThread();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      void this.stop();
    }, leftMs);
    try {
      return await this.thread.call('compare', ask);
    } catch (thrown) {
      throw isLate ? this.tooLong() : thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  private startThread(): WorkerLink<ComparisonCalls> {
    const { access, references } = this;
    return new WorkerLink(new URL('./', import.meta.url), 'comparison-worker', { access, references });
  }

  private tooLong(): ReenactError {
    return new ReenactError('too-large', `Comparing these runs took longer than ${this.times.msMax / 1000} s.`, {
      next: 'Compare them on your own machine, with `reenact diff` and the same ids.',
    });
  }
}

function busy(): ReenactError {
  return new ReenactError('store-busy', 'Other runs are being compared, and too many wait.', {
    next: 'Ask again.',
    retryable: true,
  });
}
