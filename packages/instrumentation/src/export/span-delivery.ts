import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { pristine } from '../host/pristine.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { asOwnTelemetry } from '../host/telemetry-context.ts';
import { VIEW_SLICE_MS } from '../limits.ts';
import { exportBatch } from '../sending/export-batch.ts';
import type { SpoolKeeper } from '../spool/spool-keeper.ts';
import type { SpoolTicket } from '../spool/spool-ticket.ts';
import type { DropCounter } from './drop-counter.ts';
import { ExportQueue, type QueuedSpan, type QueueLimits, ticketsOf } from './export-queue.ts';
import { FailedTries } from './failed-tries.ts';
import { retryWaitMs } from './retry-wait.ts';

/** What a delivery stands on. */
export interface SpanDeliveryOptions {
  readonly exporter: SpanExporter;
  /** Absent where there is no spool. */
  readonly keeper: SpoolKeeper | undefined;
  readonly drops: DropCounter;
  readonly limits: QueueLimits;
  readonly batchDelayMs: number;
  readonly retryDelayMs: number;
}

/**
 * Delivers spans in the order in which they were added, one request at a time. Retries of one request are the exporter's; what it could
 * not deliver waits here, bounded, and is tried again.
 */
export class SpanDelivery {
  private readonly options: SpanDeliveryOptions;
  private readonly queue: ExportQueue;
  private readonly failures = new FailedTries();
  private inFlight: readonly QueuedSpan[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;
  private timerDelayMs = 0;
  /** How many of the oldest spans go one by one, because a request that held them all was refused. */
  private singles = 0;
  private exporting: Promise<void> = Promise.resolve();
  private isWaitingToRetry = false;
  /** An export is under way, or waits for its turn: it takes what comes until it ends. */
  private isExporting = false;
  /** How many wait for their flush: what others left does not go before. */
  private flushing = 0;
  private hasEnded = false;

  constructor(options: SpanDeliveryOptions) {
    this.options = options;
    this.queue = new ExportQueue(options.limits);
  }

  /** The spans that were added and are not known to be delivered, oldest first. */
  undelivered(): readonly QueuedSpan[] {
    return [...this.inFlight, ...this.queue.waiting()];
  }

  /** How many those are. */
  get size(): number {
    return this.inFlight.length + this.queue.size;
  }

  /** Why the last try to deliver failed; undefined where it did not. */
  get failure(): string | undefined {
    return this.failures.lastReason;
  }

  /** What waits and is not on its way. */
  get waiting(): Pick<ExportQueue, 'findCrossing' | 'replace'> {
    return this.queue;
  }

  /** Adds a span. `keep` writes one to the spool that is not there, where memory has no room for it. What has room nowhere is counted as dropped. */
  add(span: QueuedSpan, keep?: () => SpoolTicket | undefined): void {
    if (this.hasEnded) return;
    const { keeper, drops, batchDelayMs } = this.options;
    keeper?.adoptSoon(() => this.deliverLeftovers());
    if (!this.queue.add(span) && !this.spill(span, keep)) drops.count('queue-full');
    else if (!this.isWaitingToRetry && !this.isExporting) this.schedule(this.queue.hasFullBatch ? 0 : batchDelayMs);
  }

  /** What has no room in memory waits on the disk. False where it is not there. */
  private spill(
    { bytes, ticket: known, ...span }: QueuedSpan,
    keep: (() => SpoolTicket | undefined) | undefined,
  ): boolean {
    const { keeper } = this.options;
    const ticket = known ?? keep?.();
    if (keeper === undefined || ticket === undefined || !keeper.spool.holds(ticket)) return false;
    const spilled = { ...span, bytes, ticket, isSpilled: true, view: () => keeper.spool.read(ticket) } as const;
    if (!this.queue.addSpilled(spilled)) keeper.leave(ticket);
    return true;
  }

  /** Has those wait again that memory had no room for; false where there are none. */
  private takeBack(): boolean {
    return this.options.keeper?.left.takeBack((span) => this.queue.addSpilled(span)) === true;
  }

  /** Exports everything that waits, once. Resolves also where the exporter failed. */
  async flush(): Promise<void> {
    this.stopTimer();
    this.options.keeper?.leaveLeftovers();
    this.flushing += 1;
    await this.exportAll();
    await this.deliverDescendants();
    this.flushing -= 1;
  }

  /** Whether a span waits for its export, or is on its way, also in what a started process left: not one that is on the disk, too, while the receiver is known to be away. */
  wantsFlush(): boolean {
    const { keeper } = this.options;
    if (keeper !== undefined && this.isWaitingToRetry) return false;
    return this.isExporting || this.queue.size > 0 || keeper?.hasOfDescendants() === true;
  }

  /** Nothing is sent any more by itself, be it because the process ends. */
  stopTimer(): void {
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Nothing is added any more, and what fails is not tried again. */
  end(): void {
    this.hasEnded = true;
  }

  /** Puts the views of spans together; what cannot be read is counted as dropped. */
  build({ view, isSpilled }: QueuedSpan): ReadableSpan[] {
    const built = guarded('putting a recorded span together', view, undefined);
    if (built === undefined) this.options.drops.count(isSpilled === true ? 'spool-full' : 'unreadable');
    return built === undefined ? [] : [built];
  }

  /** These need no place in the spool any more. */
  settle(batch: readonly QueuedSpan[]): void {
    const tickets = ticketsOf(batch);
    const { keeper } = this.options;
    if (tickets.length > 0) guarded('settling the spool', () => keeper?.spool.settle(tickets), undefined);
  }

  /** Memory has let go of these, and the disk then took only what stands for them: each is handed on as one that never ended. */
  countStands(batch: readonly QueuedSpan[]): void {
    const { keeper, drops } = this.options;
    for (const { isSpilled, ticket } of batch) {
      const isLost = isSpilled === true && ticket !== undefined && keeper?.spool.holdsStandOnly(ticket) === true;
      if (isLost) drops.count('queue-full');
    }
  }

  /** A receiver that has just failed is not asked to take more. */
  private deliverDescendants(): Promise<void> {
    const { keeper, exporter } = this.options;
    return this.inTurn('delivering what a started process left', async () => {
      if (!this.isWaitingToRetry) await keeper?.deliverDescendants(exporter);
    });
  }

  /** In turn with the exports of this process: one request at a time. */
  private deliverLeftovers(): void {
    const { keeper, exporter } = this.options;
    if (keeper === undefined || this.hasEnded) return;
    void this.inTurn('delivering leftovers', async () => {
      // A receiver that has just failed is not asked to take more, and nobody who is flushing waits for what others left.
      if (!this.isWaitingToRetry && this.flushing === 0) await keeper.deliverLeftovers(exporter);
    });
  }

  private schedule(delayMs: number): void {
    if (this.timer !== undefined && delayMs >= this.timerDelayMs) return;
    this.stopTimer();
    this.timerDelayMs = delayMs;
    // Outside the host's context, which the timer would otherwise keep alive and hand to the exporter.
    asOwnTelemetry(() => {
      this.timer = pristine.setTimeout(() => this.wake(), delayMs);
      this.timer.unref();
    });
  }

  /** Asks once, however often it is called while that goes on: else each time would be a further try of a receiver that is away. */
  private wake(): void {
    this.timer = undefined;
    if (this.isExporting) return;
    void this.exportAll();
    if (this.options.keeper?.expectsDescendants === true) void this.deliverDescendants();
  }

  private exportAll(): Promise<void> {
    this.isExporting = true;
    return this.inTurn('exporting recordings', () => this.exportWaiting());
  }

  /** One request at a time, so that memory in flight is bounded and the order is kept. */
  private inTurn(what: string, send: () => Promise<void>): Promise<void> {
    this.exporting = this.exporting.then(send).catch((thrown: unknown) => reportFailure(what, thrown));
    return this.exporting;
  }

  private async exportWaiting(): Promise<void> {
    this.isExporting = true;
    this.isWaitingToRetry = false;
    try {
      while (this.queue.size > 0 || this.takeBack()) {
        const isSingle = this.singles > 0;
        if (isSingle) this.singles -= 1;
        const isDone = await this.deliver(this.queue.takeBatch(isSingle ? 1 : undefined));
        if (!isDone) return;
      }
    } finally {
      this.isExporting = false;
    }
  }

  /** False where the exporter could not deliver now; the spans then wait for the next try. */
  private async deliver(batch: readonly QueuedSpan[]): Promise<boolean> {
    const { exporter, keeper, drops, retryDelayMs } = this.options;
    this.inFlight = batch;
    await keeper?.spool.written(ticketsOf(batch));
    const outcome = await exportBatch(exporter, await this.buildAll(batch));
    this.inFlight = [];
    switch (outcome.type) {
      case 'delivered':
        this.failures.over();
        if (outcome.cut !== undefined) drops.count('payload-refused', outcome.cut);
        if (outcome.rejected !== undefined) {
          for (let left = outcome.rejected.count; left > 0; left -= 1) drops.count('refused', outcome.rejected.reason);
        }
        this.countStands(batch);
        this.settle(batch);
        return true;
      case 'refused':
        this.refused(batch, outcome.detail);
        return true;
      case 'failed':
        this.failures.failed(outcome.detail);
        this.queue.putBack(batch);
        this.isWaitingToRetry = true;
        // What came in the meantime is not to go out sooner.
        this.stopTimer();
        if (!this.hasEnded) this.schedule(retryWaitMs(retryDelayMs, outcome.askedMs));
        return false;
    }
  }

  /** One bad span must not take the others of its request with it. */
  private refused(batch: readonly QueuedSpan[], detail: string): void {
    if (batch.length === 1) {
      this.options.drops.count('refused', detail);
      this.settle(batch);
      return;
    }
    this.queue.putBack(batch);
    this.singles = batch.length;
  }

  private async buildAll(batch: readonly QueuedSpan[]): Promise<ReadableSpan[]> {
    const views: ReadableSpan[] = [];
    let sliceStart = pristine.performanceNow();
    for (const queued of batch) {
      views.push(...this.build(queued));
      if (pristine.performanceNow() - sliceStart < VIEW_SLICE_MS) continue;
      await new Promise((resolve) => pristine.setImmediate(resolve));
      sliceStart = pristine.performanceNow();
    }
    return views;
  }
}
