import { type Attributes, type Context, type SpanContext, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan, Span, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { ATTR_REENACT_CAPTURE, REENACT_CAPTURE_VALUE_FULL } from '@reenact/semconv/reenact';
import { gate } from '../admission/current-gate.ts';
import { findDriverClasses } from '../clients/find-driver-classes.ts';
import { watchModelRequests } from '../connections/watch-model-requests.ts';
import { listenToEndedSpans } from '../draws/watch-spans.ts';
import type { CrossingFacts, Recorder, StartedCrossing } from '../gate/crossing-facts.ts';
import { heapBytesMax } from '../host/heap-bytes.ts';
import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { settledQuietly } from '../host/settled-quietly.ts';
import { BATCH_BYTES_MAX, BATCH_DELAY_MS, BATCH_SPANS_MAX, QUEUE_SPANS_MAX, RETRY_DELAY_MS } from '../limits.ts';
import { redactedSpan } from '../redaction/places/redacted-span.ts';
import { watchUncaught } from '../signals/watch-uncaught.ts';
import type { Spool } from '../spool/spool.ts';
import { SpoolKeeper, type SpoolOptions, type SpoolState } from '../spool/spool-keeper.ts';
import type { SpoolTicket } from '../spool/spool-ticket.ts';
import { reportOwnSettings } from '../traps/setting-traps.ts';
import { SpanTraps } from '../traps/span-traps.ts';
import { currentSpan } from '../view/first-version.ts';
import { hostResource, recordingView } from '../view/recording-view.ts';
import { approximateBytes } from './approximate-bytes.ts';
import { closeAtExit } from './close-at-exit.ts';
import { type DropCause, DropCounter } from './drop-counter.ts';
import type { QueuedSpan } from './export-queue.ts';
import { flushAtEnd } from './flush-at-end.ts';
import { identifySpan } from './identify-span.ts';
import { queueRoom } from './queue-room.ts';
import { SpanDelivery } from './span-delivery.ts';
import { SpanResources } from './span-resources.ts';

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

/** With attributes beside its own, and another status, of which the message goes where nothing of the content is kept. What has failed says itself with what. */
function amendedSpan(span: ReadableSpan, attributes: Attributes, status: SpanStatus | undefined): ReadableSpan {
  if (status === undefined) return { ...span, attributes: { ...span.attributes, ...attributes } };
  if (span.status.code === SpanStatusCode.ERROR) return { ...span, attributes: { ...attributes, ...span.attributes } };
  const isFull = (span.attributes[ATTR_REENACT_CAPTURE] ?? REENACT_CAPTURE_VALUE_FULL) === REENACT_CAPTURE_VALUE_FULL;
  const amended = isFull ? status : { code: status.code };
  return { ...span, attributes: { ...span.attributes, ...attributes }, status: amended };
}

/** About how many bytes an ordinary span takes on the wire. */
const SPAN_BYTES = 1_024;

/**
 * Sends recordings to an exporter. Add it to the host's tracer provider, or use it alone: it makes itself the gate's
 * recorder. Crossings are exported as views built from the gate's facts, whole whatever the host's sampler and limits did;
 * every other span that ends on the provider is exported as it is.
 */
export class RecordingProcessor implements SpanProcessor, Recorder {
  private readonly exporter: SpanExporter;
  private readonly drops = new DropCounter();
  private readonly delivery: SpanDelivery;
  private readonly resources: SpanResources;
  private readonly traps = new SpanTraps();
  private readonly stopWatching: () => void;
  private readonly stopListening: () => void;
  private readonly stopFlushing: () => void;
  private readonly stopClosing: () => void;
  private readonly stopUncaught: () => void;
  private isShutDown = false;
  private shuttingDown: Promise<void> | undefined;
  private readonly keeper: SpoolKeeper | undefined;

  constructor(exporter: SpanExporter, options: RecordingProcessorOptions = {}) {
    this.exporter = exporter;
    this.resources = new SpanResources(options.resource);
    this.keeper = guarded('opening the spool', () => this.openSpool(options.spool), undefined);
    const room = queueRoom(heapBytesMax(process.execArgv, process.env.NODE_OPTIONS), this.keeper !== undefined);
    const limits = {
      batchBytesMax: options.batchBytesMax ?? BATCH_BYTES_MAX,
      batchSpansMax: options.batchSpansMax ?? BATCH_SPANS_MAX,
      queueBytesMax: options.queueBytesMax ?? room.queueBytesMax,
      queueSpansMax: options.queueSpansMax ?? QUEUE_SPANS_MAX,
      spilledSpansMax: room.spilledSpansMax,
    };
    const { keeper, drops } = this;
    const { batchDelayMs = BATCH_DELAY_MS, retryDelayMs = RETRY_DELAY_MS } = options;
    this.delivery = new SpanDelivery({ exporter, keeper, drops, limits, batchDelayMs, retryDelayMs });
    this.stopWatching = watchModelRequests();
    // With the hook an app's own provider does not have this processor, and its spans end elsewhere.
    this.stopListening = listenToEndedSpans((span) => {
      if (!gate.ownsSpan(span.spanContext())) this.traps.ended(span);
    });
    const isOnItsOwn = options.flushesAtEnd !== false;
    this.stopFlushing = isOnItsOwn ? flushAtEnd(this) : () => undefined;
    this.stopUncaught = watchUncaught();
    this.stopClosing = isOnItsOwn && this.keeper !== undefined ? closeAtExit(this) : () => undefined;
    guarded('looking at the settings', () => reportOwnSettings(process.env), undefined);
    findDriverClasses();
    gate.configure({ recorder: this });
  }

  private openSpool(options: RecordingProcessorOptions['spool']): SpoolKeeper | undefined {
    // A replay can be made again: nothing of it is worth the disk, which its guard keeps code away from that a bundle loads late.
    if (options === undefined || gate.dedicatedPlayer !== undefined) return undefined;
    return SpoolKeeper.open(options === true ? {} : options, {
      viewOf: (facts) => this.viewOf(facts),
      resourceOf: (facts) => this.resources.of(hostResource(facts)),
    });
  }

  /** Notes the start of a crossing, so that a process which dies inside it leaves a pending one. */
  started(crossing: StartedCrossing): void {
    this.keeper?.spool.start(crossing);
  }

  /** Takes one crossing from the gate. Synchronous and cheap: views are built when they are exported. */
  record(facts: CrossingFacts): void {
    this.traps.recorded(facts);
    const ticket = this.keep((spool) => spool.keep(facts, this.resources.of(hostResource(facts))));
    const { spanContext } = facts;
    this.delivery.add({ bytes: approximateBytes(facts), view: () => this.viewOf(facts), spanContext, ticket });
  }

  /** Adds attributes to a crossing that waits, and gives it another status. False where it has been handed to the exporter, or cannot be read any more. */
  amend(crossing: SpanContext, attributes: Attributes, status?: SpanStatus): boolean {
    const queue = this.delivery.waiting;
    const waiting = queue.findCrossing(crossing);
    const span = waiting?.view();
    if (waiting === undefined || span === undefined) return false;
    const amended = amendedSpan(span, attributes, status);
    const ticket = this.keep((spool) => spool.keepAmended(amended));
    if (waiting.isSpilled === true) {
      const { keeper } = this;
      if (keeper === undefined || ticket === undefined) return false;
      queue.replace(waiting, { ...waiting, ticket, view: () => keeper.spool.read(ticket) });
    } else queue.replace(waiting, { ...waiting, ticket: ticket ?? waiting.ticket, view: () => amended });
    // The frame without them is not to be delivered by anybody, once there is one with them.
    if (ticket !== undefined) this.delivery.settle([waiting]);
    return true;
  }

  private keep(write: (spool: Spool) => SpoolTicket | undefined): SpoolTicket | undefined {
    const { keeper } = this;
    if (keeper === undefined || this.isShutDown) return undefined;
    return guarded('spooling a span', () => asOwnWork(() => write(keeper.spool)), undefined);
  }

  /** Spans that are no crossings say, too, whom the run around them is for. */
  onStart(span: Span, parentContext: Context): void {
    this.resources.saw(span.resource);
    guarded('identifying a span', () => identifySpan(span, parentContext), undefined);
  }

  onEnd(span: ReadableSpan): void {
    if (gate.ownsSpan(span.spanContext())) return;
    this.traps.ended(span);
    const kept = redactedSpan(currentSpan(span));
    this.delivery.add({ bytes: SPAN_BYTES, view: () => kept }, () => this.keep((spool) => spool.keepSpan(kept)));
  }

  /** Exports everything that waits, once. Resolves also where the exporter failed: see `undelivered`. */
  async forceFlush(): Promise<void> {
    await this.delivery.flush();
    await settledQuietly('flushing the exporter', () => this.exporter.forceFlush?.());
  }

  /** See `Recorder`. */
  readonly startsCode = (): void => this.keeper?.expectDescendants();

  /** Whether a span waits for its export, or is on its way, also in what a started process left: not one that is on the disk, too, while the receiver is known to be away. */
  wantsFlush(): boolean {
    return this.delivery.wantsFlush();
  }

  /** See `Recorder`. */
  async flush(): Promise<number> {
    await this.forceFlush();
    return this.delivery.size + (this.keeper?.left.total ?? 0);
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
    this.stopUncaught();
    // With a spool it goes there; without one, what is still open is delivered now or never.
    if (gate.detach(this) && this.keeper === undefined) {
      for (const facts of gate.pendingFacts())
        this.delivery.add({ bytes: approximateBytes(facts), view: () => this.viewOf(facts) });
    }
    await this.forceFlush();
    this.delivery.stopTimer();
    const unsaved = this.keeper === undefined ? this.undelivered() : this.closeSpool().unsaved;
    this.stopClosing();
    for (const _ of unsaved) this.drops.count('undelivered');
    this.isShutDown = true;
    this.delivery.end();
    await settledQuietly('shutting the exporter down', () => this.exporter.shutdown());
  }

  /** The spans accepted and not known to be delivered, oldest first, for whoever can still save them. */
  undelivered(): ReadableSpan[] {
    return this.delivery.undelivered().flatMap((queued) => this.delivery.build(queued));
  }

  /** The crossings still open, as they are recorded if the process stops now. */
  pending(): ReadableSpan[] {
    return gate.pendingFacts().flatMap((facts) => this.delivery.build({ bytes: 0, view: () => this.viewOf(facts) }));
  }

  /**
   * For a process that ends now: writes to the spool what is not there yet, crossings that are still open included, and closes
   * it. Without a spool everything is unsaved. Synchronous.
   */
  closeSpool(): ClosedSpool {
    const { keeper } = this;
    if (keeper === undefined) return { folder: undefined, unsaved: [...this.undelivered(), ...this.pending()] };
    const pending = gate.pendingFacts().map((facts) => ({
      ticket: this.keep((spool) => spool.keep(facts, this.resources.of(hostResource(facts)))),
      view: () => this.viewOf(facts),
    }));
    keeper.spool.writeWaiting();
    const undelivered = this.delivery.undelivered();
    this.delivery.countStands(undelivered);
    const unsaved = [...undelivered, ...pending].flatMap((queued) => this.unsavedOf(queued, keeper.spool));
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
    return this.delivery.failure;
  }

  /** How many spans were dropped, by cause. */
  dropped(): ReadonlyMap<DropCause, number> {
    return this.drops.counted();
  }

  private viewOf(facts: CrossingFacts): ReadableSpan {
    return recordingView(facts, (host) => this.resources.of(host));
  }
}
