import { setImmediate as nextTurn } from 'node:timers/promises';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import type { CollectorConfig } from '../../config.ts';
import { SUMMARY_WAIT_MS } from '../../limits.ts';
import type { StaleTrace, Store, SummarisedTrace } from '../../store/store.ts';
import {
  SUMMARIES_NEWEST_FIRST,
  SUMMARIES_PER_BATCH,
  SUMMARIES_QUEUED_MAX,
  SUMMARIES_WRITTEN_BYTES,
  SUMMARY_BATCHES_IN_WORK,
  SUMMARY_DELAY_MS,
} from '../limits.ts';
import type { MadeSummary } from './summary-calls.ts';
import { SummaryPace } from './summary-pace.ts';
import { SummaryPauses } from './summary-pauses.ts';
import { type QueuedTrace, SummaryQueue } from './summary-queue.ts';
import { SummaryRetries } from './summary-retries.ts';
import { type SummaryMaker, SummaryThread } from './summary-thread.ts';

/** What a summariser does beside summarising. */
export interface SummariserOptions {
  /** Where content may be fetched from that lies elsewhere; nothing is where this is left out. */
  readonly references?: CollectorConfig['references'];
  /** How long a question waits for summaries at most, milliseconds. */
  readonly waitMs?: number;
  /** Traces that are queued in memory; the store knows the rest. */
  readonly queuedMax?: number;
  /** Makes the summaries; a thread of its own where this is left out. */
  readonly maker?: SummaryMaker;
  /** Whether somebody follows the runs of a tenant; nobody does where this is left out. */
  readonly isFollowed?: (tenant: string) => boolean;
  /** Told after summaries were written. */
  readonly onSummarised?: () => void;
  /** Told when summarising begins to fail, with why, and when it goes on. */
  readonly onFailing?: (error: ReenactError | undefined) => void;
}

/** What a summariser needs of a store. */
export type StoreToSummarise = Pick<
  Store,
  'capabilities' | 'threadAccess' | 'staleTraces' | 'newestStale' | 'countStale' | 'writeSummaries'
>;

/** A question that waits for summaries; asked after each batch whether it is through. */
interface Waiter {
  readonly isThrough: () => boolean;
  readonly resolve: (isThrough: boolean) => void;
  readonly reject: (reason: unknown) => void;
}

/** What kept the last round from its end. */
interface Failure {
  readonly thrown: unknown;
}

/** Keeps the summaries of runs current, some at a time. */
export class Summariser {
  private readonly store: StoreToSummarise;
  private readonly options: SummariserOptions;
  private readonly queue = new SummaryQueue();
  private readonly waiters = new Set<Waiter>();
  /** The change up to which stale traces were queued. */
  private queuedChange = 0;
  /** Whether more may be stale than was queued, as what an earlier process left: that has waited. */
  private isBehind = true;
  /** What is in work, each on a way of its own: a run that takes minutes holds up no other. */
  private readonly lanes = new Set<Promise<void>>();
  /** Why a lane has ended; none begins until all have. */
  private failure: Failure | undefined;
  private timer: { readonly dueMs: number; readonly timeout: NodeJS.Timeout } | undefined;
  private readonly pauses: SummaryPauses;
  private readonly retries = new SummaryRetries();
  private readonly pace = new SummaryPace();
  private readonly maker: SummaryMaker;
  private isFailing = false;
  /** How many deletions wait for summaries. */
  private deletions = 0;
  private readonly stopping = new AbortController();

  constructor(store: StoreToSummarise, options: SummariserOptions = {}) {
    this.store = store;
    this.options = options;
    const { isFollowed = () => false } = options;
    this.pauses = new SummaryPauses({ isFollowed, nowMs: () => performance.now() });
    this.maker = options.maker ?? new SummaryThread(store.threadAccess, options.references);
  }

  /**
   * Works on what has changed, soon; appends of one burst share the work. What goes on and on waits longer. What failed is tried again at
   * the next call or question.
   */
  wake(): void {
    this.wakeIn(SUMMARY_DELAY_MS);
  }

  /** Resolves when every trace of a tenant that was stored before this call has a summary of what was there then, for a deletion. Throws ReenactError. */
  async settle(tenant: string): Promise<void> {
    this.deletions += 1;
    try {
      if (await this.reach(tenant, new AbortController().signal)) return;
    } finally {
      this.deletions -= 1;
    }
    throw new ReenactError('store-failed', 'The collector stops.', { next: 'Ask the next one.', retryable: true });
  }

  /**
   * Waits as `settle` does, but for some seconds only and not for what fails, and gives how many runs of the tenant have no current summary
   * at the end: 0 where it waited for all it had to. The trace `first` has its turn before others. Where so many wait that those seconds are not
   * enough, the newest have their turn before others, and no more is waited for unless that turns out to be enough.
   */
  async catchUp(tenant: string, first?: string): Promise<number> {
    const ending = new AbortController();
    const { waitMs = SUMMARY_WAIT_MS } = this.options;
    const timer = setTimeout(() => ending.abort(), waitMs);
    try {
      // What there is can be read also where no summary can be written, as on a disk that others have filled.
      const { signal } = ending;
      const reached =
        first === undefined ? this.reachInTime(tenant, waitMs, signal) : this.reach(tenant, signal, first);
      const isThrough = await reached.catch(() => false);
      return isThrough ? 0 : await this.store.countStale(tenant);
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Waits as long as a question waits for summaries, counted from `sinceMs` (`performance.now()`), also where summaries fail. Gives how many runs of the
   * tenant have no current summary after that.
   */
  async waitOut(tenant: string, sinceMs: number): Promise<number> {
    const { waitMs = SUMMARY_WAIT_MS } = this.options;
    await this.passTime(Math.max(0, sinceMs + waitMs - performance.now()));
    return this.store.countStale(tenant);
  }

  /** Ends after the traces in work; whoever waits is told that not all is done. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearTimeout(this.timer?.timeout);
    await Promise.all(this.lanes);
    for (const { resolve } of this.waiters) resolve(false);
    this.waiters.clear();
    await this.maker.stop();
  }

  private get isStopped(): boolean {
    return this.stopping.signal.aborted;
  }

  /** Resolves sooner where the summariser stops. */
  private passTime(ms: number): Promise<void> {
    const { signal } = this.stopping;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }

  /** Whether all that was stale at the call is summarised; false once the signal or the end of the summariser came first. */
  private async reach(tenant: string, signal: AbortSignal, first?: string): Promise<boolean> {
    for (;;) {
      const isWhole = await this.refill();
      for (const trace of this.pauses.release(tenant)) this.queue.add(trace);
      if (first !== undefined) this.queue.promote(tenant, first);
      const { lastTicket } = this.queue;
      if (!(await this.waitFor(() => this.queue.isThrough(tenant, lastTicket), signal))) return false;
      if (isWhole) return true;
      // Others may fill the queue; there is room in it again after a batch.
      if (!(await this.waitForBatch(() => true, signal))) return false;
    }
  }

  /** As `reach`, unless more of the tenant waits than can be summarised in that time, with what others have in between. */
  private async reachInTime(tenant: string, waitMs: number, signal: AbortSignal): Promise<boolean> {
    const endMs = performance.now() + waitMs;
    if ((await this.store.countStale(tenant)) <= SUMMARIES_NEWEST_FIRST) return this.reach(tenant, signal);
    // All that waits may be held back: nothing would be made, and nothing be known of the pace.
    if (!this.pace.isKnown) await this.reachNewest(tenant, signal);
    if (signal.aborted) return false;
    if (!(await this.isFar(tenant, endMs))) return this.reach(tenant, signal);
    await this.reachNewest(tenant, signal);
    // The first batches of a process take far longer than all others: with some more the rest may turn out to be near.
    return (await this.isFar(tenant, endMs)) ? false : this.reach(tenant, signal);
  }

  /** Whether what waits of a tenant takes longer than until then, with what others have in between. */
  private async isFar(tenant: string, endMs: number): Promise<boolean> {
    const stale = await this.store.countStale(tenant);
    return this.pace.msFor(stale) * Math.max(this.queue.tenants, 1) > endMs - performance.now();
  }

  /** Waits for what changed last of a tenant, which is what people look for. */
  private async reachNewest(tenant: string, signal: AbortSignal): Promise<void> {
    const newest = await this.store.newestStale(tenant, SUMMARIES_NEWEST_FIRST);
    for (const trace of newest) {
      this.pauses.drop(trace);
      this.queue.add(trace);
      this.queue.prefer(trace);
    }
    const isOpen = (trace: StaleTrace) => this.queue.isWaiting(trace) || this.queue.isInWork(trace);
    await this.waitFor(() => !newest.some(isOpen), signal);
  }

  private waitFor(isThrough: () => boolean, signal: AbortSignal): Promise<boolean> {
    return isThrough() ? Promise.resolve(true) : this.waitForBatch(isThrough, signal);
  }

  /** Resolves after the next batch behind which it is through. */
  private waitForBatch(isThrough: () => boolean, signal: AbortSignal): Promise<boolean> {
    if (this.isStopped || signal.aborted) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      const waiter = { isThrough, resolve, reject };
      this.waiters.add(waiter);
      const onAbort = () => {
        this.waiters.delete(waiter);
        resolve(false);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.work();
    });
  }

  /** Queues what became stale since the last time, or holds it back. False where there was more than is queued at one time. */
  private async refill(): Promise<boolean> {
    const { queuedMax = SUMMARIES_QUEUED_MAX } = this.options;
    if (this.queue.size >= queuedMax) return false;
    const stale = await this.store.staleTraces(queuedMax, this.queuedChange);
    for (const trace of stale) {
      const isQueued = this.queue.isWaiting(trace) || this.queue.isInWork(trace);
      if (isQueued || !this.pauses.hold(trace, !this.isBehind)) this.queue.add(trace);
    }
    this.isBehind = stale.length >= queuedMax;
    this.queuedChange = Math.max(stale.at(-1)?.change ?? 0, this.queuedChange);
    return stale.length < queuedMax;
  }

  private wakeIn(delayMs: number): void {
    const dueMs = performance.now() + delayMs;
    if (this.isStopped || (this.timer !== undefined && this.timer.dueMs <= dueMs)) return;
    clearTimeout(this.timer?.timeout);
    const timeout = setTimeout(() => {
      this.timer = undefined;
      this.work();
    }, delayMs);
    this.timer = { dueMs, timeout };
  }

  private work(): void {
    // While one batch is summarised, another one is read or written.
    while (!this.isStopped && this.failure === undefined && this.lanes.size < SUMMARY_BATCHES_IN_WORK) {
      const lane: Promise<void> = this.runLane()
        .catch((thrown: unknown) => {
          this.failure ??= { thrown };
        })
        .then(() => this.endLane(lane));
      this.lanes.add(lane);
    }
  }

  private endLane(lane: Promise<void>): void {
    this.lanes.delete(lane);
    const { failure } = this;
    if (failure === undefined) {
      if (this.lanes.size === 0) this.tellFailure(undefined);
      // A question may have queued something after the last look.
      if (!this.queue.isEmpty) this.work();
      for (const dueInMs of [this.pauses.nextDueMs(), this.retries.nextDueMs()])
        if (dueInMs !== undefined) this.wakeIn(Math.max(dueInMs, SUMMARY_DELAY_MS));
      return;
    }
    if (this.lanes.size > 0) return;
    this.failure = undefined;
    this.tellFailure(failure);
    this.queue.clear();
    this.pauses.clear();
    this.queuedChange = 0;
    this.isBehind = true;
    for (const { reject } of this.waiters) reject(failure.thrown);
    this.waiters.clear();
  }

  private tellFailure(failure: Failure | undefined): void {
    const isFailing = failure !== undefined;
    if (isFailing === this.isFailing) return;
    this.isFailing = isFailing;
    this.options.onFailing?.(isFailing ? toReenactError(failure.thrown) : undefined);
  }

  private async runLane(): Promise<void> {
    while (!this.isStopped && this.failure === undefined) {
      if (this.queue.isEmpty) await this.refill();
      for (const trace of this.pauses.releaseDue()) this.queue.add(trace);
      // One that has changed since is summarised for that.
      for (const trace of this.retries.takeDue()) if (!this.queue.isWaiting(trace)) this.queue.add(trace);
      if (this.queue.isEmpty) return;
      await this.summariseBatch();
      // Not only once nothing is in work: with much to do, there is always something.
      if (this.failure === undefined) this.tellFailure(undefined);
      this.options.onSummarised?.();
      await nextTurn();
    }
  }

  private async summariseBatch(): Promise<void> {
    let left = this.takeBatch();
    while (left.length > 0) {
      const startedMs = performance.now();
      const made = await this.make(left);
      const done = left.slice(0, made.length);
      const summaries = done.flatMap((trace, index): SummarisedTrace[] => {
        const { run = null, bytes = 0 } = made[index] ?? {};
        this.pauses.begin(trace, bytes);
        return run === null ? [] : [{ trace, run }];
      });
      await this.store.writeSummaries(summaries, this.deletions > 0);
      for (const [index, trace] of done.entries()) {
        this.queue.finish(trace);
        this.retries.note(trace, made[index]?.mayBeCompleted === true);
      }
      this.pace.note(done.length, performance.now() - startedMs, SUMMARY_BATCHES_IN_WORK);
      left = left.slice(made.length);
      this.tellWaiters();
    }
  }

  /** Makes summaries of the first of these traces, as many as are written together. */
  private async make(traces: readonly QueuedTrace[]): Promise<readonly MadeSummary[]> {
    const names = traces.map(({ tenant, traceId }) => [tenant, traceId] as const);
    const { memoryShare = 1 } = this.store.threadAccess;
    const made: MadeSummary[] = [];
    let bytes = 0;
    while (made.length < names.length && bytes < SUMMARIES_WRITTEN_BYTES * memoryShare) {
      const more = await this.maker.summarise(names.slice(made.length), this.store.capabilities.findsText);
      made.push(...more);
      bytes += more.reduce((sum, summary) => sum + summary.bytes, 0);
    }
    return made;
  }

  private takeBatch(): QueuedTrace[] {
    const batch: QueuedTrace[] = [];
    while (batch.length < SUMMARIES_PER_BATCH) {
      const trace = this.queue.take();
      if (trace === undefined) break;
      // What comes from now on is for the next summary.
      this.pauses.begin(trace, 0);
      batch.push(trace);
    }
    return batch;
  }

  private tellWaiters(): void {
    for (const waiter of this.waiters) {
      if (!waiter.isThrough()) continue;
      this.waiters.delete(waiter);
      waiter.resolve(true);
    }
  }
}
