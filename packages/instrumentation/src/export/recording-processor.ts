import type { Attributes, Context, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { gate } from '../admission/current-gate.ts';
import { findDriverClasses } from '../clients/find-driver-classes.ts';
import { watchModelRequests } from '../connections/watch-model-requests.ts';
import { listenToEndedSpans } from '../draws/watch-spans.ts';
import type { CrossingFacts, Recorder, StartedCrossing } from '../gate/crossing-facts.ts';
import { heapBytesMax } from '../host/heap-bytes.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { guarded, reportFailure } from '../host/report-failure.ts';
import { settledQuietly } from '../host/settled-quietly.ts';
import { asOwnTelemetry } from '../host/telemetry-context.ts';
import {
  BATCH_BYTES_MAX,
  BATCH_DELAY_MS,
  BATCH_SPANS_MAX,
  QUEUE_SPANS_MAX,
  RETRY_DELAY_MS,
  VIEW_SLICE_MS,
} from '../limits.ts';
import { redactedSpan } from '../redaction/places/redacted-span.ts';
import { exportBatch } from '../sending/export-batch.ts';
import type { Spool } from '../spool/spool.ts';
import { SpoolKeeper, type SpoolOptions, type SpoolState } from '../spool/spool-keeper.ts';
import type { SpoolTicket } from '../spool/spool-ticket.ts';
import { reportRuntime } from '../traps/runtime-trap.ts';
import { SpanTraps } from '../traps/span-traps.ts';
import { reportUnusableValues } from '../traps/variable-values.ts';
import { hostResource, recordingView } from '../view/recording-view.ts';
import { approximateBytes } from './approximate-bytes.ts';
import { closeAtExit } from './close-at-exit.ts';
import { type DropCause, DropCounter } from './drop-counter.ts';
import { ExportQueue, type QueuedSpan, ticketsOf } from './export-queue.ts';
import { FailedTries } from './failed-tries.ts';
import { flushAtEnd } from './flush-at-end.ts';
import { identifySpan } from './identify-span.ts';
import { environmentResource, providerResource } from './provider-resource.ts';
import { queueRoom } from './queue-room.ts';
import { retryWaitMs } from './retry-wait.ts';

/** How a recording processor batches; every limit has a default in limits.ts. */
export interface RecordingProcessorOptions {
  /**
   * What is known about the process. The resource of the host's provider is laid over it. Default: the resource of the
   * span; where the sampler dropped it, of the first span seen, or of the registered provider, or what the environment says.
   */
  readonly resource?: Resource;
  readonly batchBytesMax?: number;
  readonly batchSpansMax?: number;
  readonly batchDelayMs?: number;
  readonly queueBytesMax?: number;
  readonly queueSpansMax?: number;
  readonly retryDelayMs?: number;
  /**
   * Keeps on the disk what is not known to be delivered, so that it outlives the process. Default: no spool. `true`: in the
   * usual place, for the destination that the OTEL_EXPORTER_OTLP_* variables name.
   */
  readonly spool?: true | SpoolOptions;
  /**
   * Whether what waits is exported when the process has run out of work, before it ends. Default: true. False where somebody else sees to
   * that, as the register hook does.
   */
  readonly flushesAtEnd?: boolean;
}

/** What a process that ends leaves behind. */
export interface ClosedSpool {
  /** Holds what was not delivered; undefined where nothing waits, or there is no spool. */
  readonly folder: string | undefined;
  /** What is neither delivered nor on the disk. */
  readonly unsaved: ReadableSpan[];
}

/** About how many bytes an ordinary span takes on the wire. */
const SPAN_BYTES = 1_024;

type Timer = ReturnType<typeof setTimeout>;

/**
 * Sends recordings to an exporter. Add it to the host's tracer provider, or use it alone: it makes itself the gate's
 * recorder. Crossings are exported as views built from the gate's facts, whole whatever the host's sampler and limits did;
 * every other span that ends on the provider is exported as it is. Retries of one request are the exporter's; what it
 * could not deliver waits here, bounded, and is tried again.
 */
export class RecordingProcessor implements SpanProcessor, Recorder {
  private readonly exporter: SpanExporter;
  private readonly queue: ExportQueue;
  private readonly drops = new DropCounter();
  private readonly failures = new FailedTries();
  private readonly traps = new SpanTraps();
  private readonly stopWatching: () => void;
  private readonly stopListening: () => void;
  private readonly stopFlushing: () => void;
  private readonly stopClosing: () => void;
  private readonly batchDelayMs: number;
  private readonly retryDelayMs: number;
  private readonly resource: Resource | undefined;
  private firstSeen: Resource | undefined;
  private fallback: Resource | undefined;
  /** Exporters group spans by the resource object, so that each combination is made once. */
  private readonly combined = new WeakMap<Resource, Resource>();
  private inFlight: readonly QueuedSpan[] = [];
  private timer: Timer | undefined;
  private timerDelayMs = 0;
  /** How many of the oldest spans go one by one, because a request that held them all was refused. */
  private singles = 0;
  private exporting: Promise<void> = Promise.resolve();
  private isWaitingToRetry = false;
  /** An export is under way, or waits for its turn: it takes what comes until it ends. */
  private isExporting = false;
  /** How many wait for their flush: what others left does not go before. */
  private flushing = 0;
  private isShutDown = false;
  private shuttingDown: Promise<void> | undefined;
  private readonly keeper: SpoolKeeper | undefined;

  constructor(exporter: SpanExporter, options: RecordingProcessorOptions = {}) {
    this.exporter = exporter;
    this.keeper = guarded('opening the spool', () => this.openSpool(options.spool), undefined);
    const room = queueRoom(heapBytesMax(process.execArgv, process.env.NODE_OPTIONS), this.keeper !== undefined);
    this.queue = new ExportQueue({
      batchBytesMax: options.batchBytesMax ?? BATCH_BYTES_MAX,
      batchSpansMax: options.batchSpansMax ?? BATCH_SPANS_MAX,
      queueBytesMax: options.queueBytesMax ?? room.queueBytesMax,
      queueSpansMax: options.queueSpansMax ?? QUEUE_SPANS_MAX,
      spilledSpansMax: room.spilledSpansMax,
    });
    this.batchDelayMs = options.batchDelayMs ?? BATCH_DELAY_MS;
    this.retryDelayMs = options.retryDelayMs ?? RETRY_DELAY_MS;
    this.resource = options.resource;
    this.stopWatching = watchModelRequests();
    // With the hook an app's own provider does not have this processor, and its spans end elsewhere.
    this.stopListening = listenToEndedSpans((span) => {
      if (!gate.ownsSpan(span.spanContext())) this.traps.ended(span);
    });
    const isOnItsOwn = options.flushesAtEnd !== false;
    this.stopFlushing = isOnItsOwn ? flushAtEnd(this) : () => undefined;
    this.stopClosing = isOnItsOwn && this.keeper !== undefined ? closeAtExit(this) : () => undefined;
    guarded('reading the variables', () => reportUnusableValues(process.env), undefined);
    guarded('looking at the runtime', () => reportRuntime(process.versions), undefined);
    findDriverClasses();
    gate.configure({ recorder: this });
  }

  private openSpool(options: RecordingProcessorOptions['spool']): SpoolKeeper | undefined {
    // A replay can be made again: nothing of it is worth the disk, which its guard keeps code away from that a bundle loads late.
    if (options === undefined || gate.dedicatedPlayer !== undefined) return undefined;
    return SpoolKeeper.open(options === true ? {} : options, {
      viewOf: (facts) => this.viewOf(facts),
      resourceOf: (facts) => this.resourceOf(hostResource(facts)),
    });
  }

  /** Notes the start of a crossing, so that a process which dies inside it leaves a pending one. */
  started(crossing: StartedCrossing): void {
    this.keeper?.spool.start(crossing);
  }

  /** Takes one crossing from the gate. Synchronous and cheap: views are built when they are exported. */
  record(facts: CrossingFacts): void {
    this.traps.recorded(facts);
    const ticket = this.keep((spool) => spool.keep(facts, this.resourceOf(hostResource(facts))));
    const { spanContext } = facts;
    this.add({ bytes: approximateBytes(facts), view: () => this.viewOf(facts), spanContext, ticket });
  }

  /** Adds attributes to a crossing that waits. False where it has been handed to the exporter, or cannot be read any more. */
  amend(crossing: SpanContext, attributes: Attributes): boolean {
    const waiting = this.queue.findCrossing(crossing);
    const span = waiting?.view();
    if (waiting === undefined || span === undefined) return false;
    const amended = { ...span, attributes: { ...span.attributes, ...attributes } };
    const ticket = this.keep((spool) => spool.keepAmended(amended));
    if (waiting.isSpilled === true) {
      const { keeper } = this;
      if (keeper === undefined || ticket === undefined) return false;
      this.queue.replace(waiting, { ...waiting, ticket, view: () => keeper.spool.read(ticket) });
    } else this.queue.replace(waiting, { ...waiting, ticket: ticket ?? waiting.ticket, view: () => amended });
    // The frame without them is not to be delivered by anybody, once there is one with them.
    if (ticket !== undefined) this.settle([waiting]);
    return true;
  }

  private keep(write: (spool: Spool) => SpoolTicket | undefined): SpoolTicket | undefined {
    const { keeper } = this;
    if (keeper === undefined || this.isShutDown) return undefined;
    return guarded('spooling a span', () => asOwnWork(() => write(keeper.spool)), undefined);
  }

  /** Spans that are no crossings say, too, whom the run around them is for. */
  onStart(span: Span, parentContext: Context): void {
    this.firstSeen ??= span.resource;
    guarded('identifying a span', () => identifySpan(span, parentContext), undefined);
  }

  onEnd(span: ReadableSpan): void {
    if (gate.ownsSpan(span.spanContext())) return;
    this.traps.ended(span);
    const kept = redactedSpan(span);
    this.add({ bytes: SPAN_BYTES, view: () => kept }, () => this.keep((spool) => spool.keepSpan(kept)));
  }

  /** Exports everything that waits, once. Resolves also where the exporter failed: see `undelivered`. */
  async forceFlush(): Promise<void> {
    this.stopTimer();
    this.keeper?.leaveLeftovers();
    this.flushing += 1;
    await this.exportAll();
    await this.deliverDescendants();
    this.flushing -= 1;
    await settledQuietly('flushing the exporter', () => this.exporter.forceFlush?.());
  }

  /** See `Recorder`. */
  readonly startsCode = (): void => this.keeper?.expectDescendants();

  /** A receiver that has just failed is not asked to take more. */
  private deliverDescendants(): Promise<void> {
    return this.inTurn('delivering what a started process left', async () => {
      if (!this.isWaitingToRetry) await this.keeper?.deliverDescendants(this.exporter);
    });
  }

  /** Whether a span waits for its export, or is on its way, also in what a started process left: not one that is on the disk, too, while the receiver is known to be away. */
  wantsFlush(): boolean {
    if (this.keeper !== undefined && this.isWaitingToRetry) return false;
    return this.isExporting || this.queue.size > 0 || this.keeper?.hasOfDescendants() === true;
  }

  /** See `Recorder`. */
  async flush(): Promise<number> {
    await this.forceFlush();
    return this.inFlight.length + this.queue.size + (this.keeper?.left.total ?? 0);
  }

  /** Lets go of the gate, exports what waits and what is still open, and shuts the exporter down; once. */
  shutdown(): Promise<void> {
    this.shuttingDown ??= this.shutDownOnce();
    return this.shuttingDown;
  }

  private async shutDownOnce(): Promise<void> {
    this.stopWatching();
    this.stopListening();
    this.stopFlushing();
    // With a spool it goes there; without one, what is still open is delivered now or never.
    if (gate.detach(this) && this.keeper === undefined) {
      for (const facts of gate.pendingFacts())
        this.add({ bytes: approximateBytes(facts), view: () => this.viewOf(facts) });
    }
    await this.forceFlush();
    this.stopTimer();
    const unsaved = this.keeper === undefined ? this.undelivered() : this.closeSpool().unsaved;
    this.stopClosing();
    for (const _ of unsaved) this.drops.count('undelivered');
    this.isShutDown = true;
    await settledQuietly('shutting the exporter down', () => this.exporter.shutdown());
  }

  /** The spans accepted and not known to be delivered, oldest first, for whoever can still save them. */
  undelivered(): ReadableSpan[] {
    return [...this.inFlight, ...this.queue.waiting()].flatMap((queued) => this.build(queued));
  }

  /** The crossings still open, as they are recorded if the process stops now. */
  pending(): ReadableSpan[] {
    return gate.pendingFacts().flatMap((facts) => this.build({ bytes: 0, view: () => this.viewOf(facts) }));
  }

  /**
   * For a process that ends now: writes to the spool what is not there yet, crossings that are still open included, and closes
   * it. Without a spool everything is unsaved. Synchronous.
   */
  closeSpool(): ClosedSpool {
    const { keeper } = this;
    if (keeper === undefined) return { folder: undefined, unsaved: [...this.undelivered(), ...this.pending()] };
    const pending = gate.pendingFacts().map((facts) => ({
      ticket: this.keep((spool) => spool.keep(facts, this.resourceOf(hostResource(facts)))),
      view: () => this.viewOf(facts),
    }));
    keeper.spool.writeWaiting();
    this.countStands([...this.inFlight, ...this.queue.waiting()]);
    const unsaved = [...this.inFlight, ...this.queue.waiting(), ...pending].flatMap((queued) =>
      this.unsavedOf(queued, keeper.spool),
    );
    return { folder: keeper.close(), unsaved };
  }

  /** For a process that ends now: takes over the spools of what it has started and what is gone, for another process to deliver them. Synchronous. */
  adoptDescendants(): string[] {
    return this.keeper?.adoptDescendants() ?? [];
  }

  /** The span of a ticket that the disk does not hold whole, after one more try; nothing where it does now. */
  private unsavedOf({ ticket, view }: Pick<QueuedSpan, 'ticket' | 'view'>, spool: Spool): ReadableSpan[] {
    if (ticket !== undefined && spool.holdsWhole(ticket)) return [];
    const span = guarded('reading a span', view, undefined);
    if (span === undefined) return [];
    const kept = this.keep((open) => open.keepSpan(span));
    spool.writeWaiting();
    if (kept === undefined || !spool.holdsWhole(kept)) return [span];
    if (ticket !== undefined) spool.settle([ticket]);
    return [];
  }

  /** What the spool holds and could not hold; undefined where there is none. */
  spoolState(): SpoolState | undefined {
    return this.keeper?.state();
  }

  /** Why the last try to deliver failed; undefined where it did not. */
  failure(): string | undefined {
    return this.failures.lastReason;
  }

  /** How many spans were dropped, by cause. */
  dropped(): ReadonlyMap<DropCause, number> {
    return this.drops.counted();
  }

  private viewOf(facts: CrossingFacts): ReadableSpan {
    return recordingView(facts, (host) => this.resourceOf(host));
  }

  private resourceOf(ofSpan: Resource | undefined): Resource {
    const seen = ofSpan ?? this.firstSeen;
    const host = seen ?? (this.resource === undefined ? providerResource() : undefined);
    if (host === undefined) {
      this.fallback ??= this.resource ?? environmentResource();
      return this.fallback;
    }
    if (this.resource === undefined) return host;
    const known = this.combined.get(host);
    if (known !== undefined) return known;
    const combined = this.resource.merge(host);
    this.combined.set(host, combined);
    return combined;
  }

  private add(span: QueuedSpan, keep?: () => SpoolTicket | undefined): void {
    if (this.isShutDown) return;
    this.keeper?.adoptSoon(() => this.deliverLeftovers());
    if (!this.queue.add(span) && !this.spill(span, keep)) this.drops.count('queue-full');
    else if (!this.isWaitingToRetry && !this.isExporting)
      this.schedule(this.queue.hasFullBatch ? 0 : this.batchDelayMs);
  }

  /** What has no room in memory waits on the disk. False where it is not there. */
  private spill(
    { bytes, ticket: known, ...span }: QueuedSpan,
    keep: (() => SpoolTicket | undefined) | undefined,
  ): boolean {
    const { keeper } = this;
    const ticket = known ?? keep?.();
    if (keeper === undefined || ticket === undefined || !keeper.spool.holds(ticket)) return false;
    const spilled = { ...span, bytes, ticket, isSpilled: true, view: () => keeper.spool.read(ticket) } as const;
    if (!this.queue.addSpilled(spilled)) keeper.left.count();
    return true;
  }

  /** In turn with the exports of this process: one request at a time. */
  private deliverLeftovers(): void {
    const { keeper } = this;
    if (keeper === undefined || this.isShutDown) return;
    void this.inTurn('delivering leftovers', async () => {
      // A receiver that has just failed is not asked to take more, and nobody who is flushing waits for what others left.
      if (!this.isWaitingToRetry && this.flushing === 0) await keeper.deliverLeftovers(this.exporter);
    });
  }

  /** Memory has let go of these, and the disk then took only what stands for them: each is handed on as one that never ended. */
  private countStands(batch: readonly QueuedSpan[]): void {
    for (const { isSpilled, ticket } of batch) {
      const isLost = isSpilled === true && ticket !== undefined && this.keeper?.spool.holdsStandOnly(ticket) === true;
      if (isLost) this.drops.count('queue-full');
    }
  }

  private settle(batch: readonly QueuedSpan[]): void {
    const tickets = ticketsOf(batch);
    if (tickets.length > 0) guarded('settling the spool', () => this.keeper?.spool.settle(tickets), undefined);
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

  private stopTimer(): void {
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Asks once, however often it is called while that goes on: else each time would be a further try of a receiver that is away. */
  private wake(): void {
    this.timer = undefined;
    if (this.isExporting) return;
    void this.exportAll();
    if (this.keeper?.expectsDescendants === true) void this.deliverDescendants();
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
      while (this.queue.size > 0) {
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
    this.inFlight = batch;
    await this.keeper?.spool.written(ticketsOf(batch));
    const outcome = await exportBatch(this.exporter, await this.buildAll(batch));
    this.inFlight = [];
    switch (outcome.type) {
      case 'delivered':
        this.failures.over();
        if (outcome.cut !== undefined) this.drops.count('payload-refused', outcome.cut);
        if (outcome.rejected !== undefined) {
          for (let left = outcome.rejected.count; left > 0; left -= 1)
            this.drops.count('refused', outcome.rejected.reason);
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
        if (!this.isShutDown) this.schedule(retryWaitMs(this.retryDelayMs, outcome.askedMs));
        return false;
    }
  }

  /** One bad span must not take the others of its request with it. */
  private refused(batch: readonly QueuedSpan[], detail: string): void {
    if (batch.length === 1) {
      this.drops.count('refused', detail);
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

  private build({ view, isSpilled }: QueuedSpan): ReadableSpan[] {
    const built = guarded('putting a recorded span together', view, undefined);
    if (built === undefined) this.drops.count(isSpilled === true ? 'spool-full' : 'unreadable');
    return built === undefined ? [] : [built];
  }
}
