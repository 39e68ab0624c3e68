import { setTimeout as sleep } from 'node:timers/promises';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { suppressTracing } from '@opentelemetry/core';
import { SENDS_TELEMETRY } from '@reenact/trace-model';
import type { Reloadable } from '../access/reloadable.ts';
import type { CollectorLimits, Destination } from '../config.ts';
import type { Log } from '../logging/log.ts';
import { RepeatedLog } from '../logging/repeated-log.ts';
import type { QueuedBatch, Store } from '../store/store.ts';
import { backoffMs } from './backoff.ts';
import type { Delivery, Sender } from './delivery.ts';
import type { DestinationHealth } from './destination-health.ts';
import { itemNames } from './item-names.ts';
import {
  DROP_REASONS_MAX,
  FAILURE_REASONS_MAX,
  FORWARD_EXHAUSTED_TRIES,
  FORWARD_SPLITS_IN_DOUBT_MAX,
  FORWARD_SPLITS_MAX,
  REFUSED_NAMES_MAX,
} from './limits.ts';
import { openSender } from './open-sender.ts';
import { RefusedAlone } from './refused-alone.ts';
import { RefusedTogether } from './refused-together.ts';
import type { SenderAccess } from './sender-access.ts';
import { shownUrl } from './shown-url.ts';
import { emptyRequest, type UnwritableItem, writeBatch } from './write-batch.ts';

/** Under which reason those are counted that the store cannot give any more. */
const DAMAGED = 'damaged in the store';

/** Under which reason those are counted that cannot be made items of a request. */
const UNWRITABLE = 'cannot be written as OTLP';

/** What a forwarder works with. */
export interface ForwarderOptions {
  readonly store: Store;
  /** What the files of the destination hold; a change is followed from the next delivery on. */
  readonly access: Pick<Reloadable<SenderAccess>, 'current' | 'onReloaded'>;
  readonly limits: CollectorLimits;
  readonly log: Log;
  /** Names this collector in what it sends on. */
  readonly collectorId: string;
}

/** What a destination has decided about a batch. */
interface Conclusion {
  readonly batch: QueuedBatch;
  /** How many items it took. */
  readonly taken: number;
  /** Whether it took the request, at least in part. */
  readonly isTaken: boolean;
}

/** Sends what is queued for one destination, oldest first, until stopped. Works beside ingest and never delays it. */
export class Forwarder {
  private readonly destination: Destination;
  private readonly store: Store;
  private readonly limits: CollectorLimits;
  private readonly log: Log;
  private readonly collectorId: string;
  private readonly access: ForwarderOptions['access'];
  private sender: Sender;
  private senderAccess: SenderAccess;
  private readonly stopping = new AbortController();
  private readonly dropped = new Map<string, number>();
  private readonly refusals = new RepeatedLog();
  /** Whether the last request of each signal was taken, at least in part; an empty one counts. */
  private readonly isTaken = new Map<QueuedBatch['signal'], boolean>();
  private running: Promise<void> = Promise.resolve();
  /** Aborted by new files, also before a wait: then the one that follows is left out. */
  private cutWait = new AbortController();
  private wakeUp: () => void = () => undefined;
  private isAwake = true;
  private itemsMax: number;
  /** Refused just now as too large, by itself and beyond what the destination is said to take; others of its resource may wait behind it. */
  private refused: RefusedAlone | undefined;
  /** Refused for something in it, and sent in parts. */
  private parted: RefusedTogether | undefined;
  private splits = FORWARD_SPLITS_MAX;
  /** What was refused since the log was told last, by reason. */
  private readonly untold = new Map<string, string[]>();
  /** What the destination has decided about and the queue still has, as where its disk is full: sent again, it would be there twice. */
  private concluded: Conclusion | undefined;
  private delivered = 0;
  private attempt = 0;
  /** How often the destination had no room for one item by itself, in a row. */
  private exhausted = 0;
  /** Whether it took an empty request after that, and nothing has been waited for since. */
  private tookEmpty = false;
  /** How often it was asked with an empty request since something was concluded last. */
  private asked = 0;
  private lastError: string | undefined;
  /** Why deliveries failed since the last that succeeded, as far as the log was told: an outage may end in a denied token. */
  private readonly toldFailures = new Set<string>();
  private retryAt: number | undefined;

  constructor(destination: Destination, { store, access, limits, log, collectorId }: ForwarderOptions) {
    this.destination = destination;
    this.store = store;
    this.limits = limits;
    this.log = log;
    this.collectorId = collectorId;
    this.itemsMax = limits.forwardItemsMax;
    this.access = access;
    this.senderAccess = access.current;
    this.sender = openSender(destination, access.current, limits);
    // A destination that denied the old token may take the new one: it is asked now, not when the wait is over.
    access.onReloaded(() => this.cutWait.abort());
  }

  /** Starts with what an earlier process left in the queue. */
  start(): void {
    // A collector inside an application with the hook must not record its own deliveries, or it would never come to an end.
    const telemetry = suppressTracing(ROOT_CONTEXT).setValue(SENDS_TELEMETRY, true);
    this.running = context.with(telemetry, () => this.run());
  }

  /** Says that something was queued. */
  wake(): void {
    this.isAwake = true;
    this.wakeUp();
  }

  /** Cuts a delivery in flight; its items stay queued. What was delivered and could not be written so is tried once more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
    if (this.concluded !== undefined) await this.settle(this.concluded).catch(() => undefined);
    this.sender.close();
    this.refusals.stop();
  }

  /** How the destination is doing; its queue is the store's to say. */
  health(): Omit<DestinationHealth, 'queued' | 'oldestQueuedAt'> {
    const { name, url, content } = this.destination;
    return {
      name,
      url: shownUrl(url),
      content,
      isHealthy: this.isHealthy(),
      delivered: this.delivered,
      dropped: Object.fromEntries(this.dropped),
      ...(this.lastError === undefined ? {} : { lastError: this.lastError }),
      ...(this.retryAt === undefined ? {} : { retryAt: new Date(this.retryAt).toISOString() }),
    };
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.isAwake = false;
      try {
        if (this.concluded !== undefined) await this.settle(this.concluded);
        if (this.refused !== undefined) {
          await this.sendBeside(this.refused);
          continue;
        }
        const batch = await this.peek(this.itemsMax);
        if (batch === undefined) await this.idle();
        else if (batch.damage !== undefined) await this.passOver(batch, batch.damage);
        else await this.send(this.partOf(batch));
      } catch (thrown) {
        // A store that is busy or full refuses the bookkeeping; the items stay queued and are sent again.
        await this.wait(thrown instanceof Error ? thrown.message : String(thrown), undefined);
      }
    }
  }

  private peek(itemsMax: number): Promise<QueuedBatch | undefined> {
    const { name, requestBytesMax } = this.destination;
    const bytesMax = Math.min(this.limits.forwardRequestBytesMax, requestBytesMax);
    return this.store.peekQueue(name, itemsMax, bytesMax, requestBytesMax);
  }

  private partOf(batch: QueuedBatch): QueuedBatch {
    const part = this.parted?.partOf(batch);
    if (part !== undefined) return part;
    // One that takes empty requests and nothing else would else be asked a hundred times for each request.
    if (this.parted?.hasTaken === false) this.splits = FORWARD_SPLITS_IN_DOUBT_MAX;
    this.parted = undefined;
    return batch;
  }

  /** Gives up at once what is at least as large as what was refused, and sends the smallest of the others. */
  private async sendBeside(refused: RefusedAlone): Promise<void> {
    const batch = await this.peek(this.limits.forwardItemsMax);
    if (batch?.damage !== undefined) return this.passOver(batch, batch.damage);
    const beside = batch === undefined ? undefined : refused.beside(batch);
    const { hopeless = [], next } = beside ?? {};
    if (batch !== undefined && hopeless.length > 0) {
      await this.store.settleQueue(hopeless.map(({ queueId }) => queueId));
      this.drop(refused.reason, { ...batch, entries: hopeless });
    }
    if (batch === undefined || next === undefined) this.refused = undefined;
    else await this.send({ ...batch, entries: [next] });
  }

  /** What cannot be read now cannot be later either, and must not hold up what came behind it. */
  private async passOver({ entries }: QueuedBatch, where: string): Promise<void> {
    await this.store.settleQueue(entries.map(({ queueId }) => queueId));
    this.count(DAMAGED, entries.length);
    this.log.warn('queued items are damaged', { destination: this.destination.name, where, count: entries.length });
  }

  /** What cannot be written is let go of before the others are sent: it would be sent empty, or hold them up for ever. */
  private async setAside(batch: QueuedBatch, unwritable: readonly UnwritableItem[]): Promise<void> {
    const entries = unwritable.map(({ entry }) => entry);
    const items = itemNames({ ...batch, entries }).join(' ');
    await this.store.settleQueue(entries.map(({ queueId }) => queueId));
    this.count(UNWRITABLE, entries.length);
    const { name: destination } = this.destination;
    const [{ reason } = { reason: '' }] = unwritable;
    const next = 'They stay in the store; report a defect of Reenact with this reason.';
    this.refusals.tell(UNWRITABLE, entries.length, (count) =>
      this.log.error('queued items cannot be written', { destination, reason, count, items, next }),
    );
  }

  private isHealthy(): boolean {
    return this.attempt === 0 && (this.isTaken.size === 0 || [...this.isTaken.values()].includes(true));
  }

  /** Nothing is queued. Whether what was refused last was to blame, or the destination is, an empty request tells. */
  private async idle(): Promise<void> {
    if (this.isHealthy()) return this.untilWoken();
    if (this.asked > 0) await this.untilWoken(backoffMs(this.asked, undefined, this.limits));
    if (this.isAwake) return;
    this.asked += 1;
    const signals = this.isTaken.size === 0 ? (['traces'] as const) : [...this.isTaken.keys()];
    for (const signal of signals) if (await this.takesEmpty(signal)) return this.recover();
  }

  private async takesEmpty(signal: QueuedBatch['signal']): Promise<boolean> {
    const request = emptyRequest(this.collectorId);
    const answer = await this.currentSender().deliver(signal, request, this.stopping.signal);
    const isTaken = answer.type === 'delivered';
    if (isTaken) this.isTaken.set(signal, true);
    else if (!this.stopping.signal.aborted) this.lastError = answer.reason;
    return isTaken;
  }

  private async send(batch: QueuedBatch): Promise<void> {
    const { request, unwritable } = writeBatch(batch, this.destination.content, this.collectorId);
    // It stays queued, for the next process.
    if (this.stopping.signal.aborted) return;
    if (unwritable.length > 0) return this.setAside(batch, unwritable);
    const delivery: Delivery =
      request === undefined
        ? { type: 'delivered', rejected: 0, reason: '' }
        : await this.currentSender().deliver(batch.signal, request, this.stopping.signal);
    const isLarger = (request?.body.length ?? 0) > this.destination.requestBytesMax;
    if (delivery.type === 'too-large' && isLarger && batch.entries.length === 1 && batch.signal !== 'metrics')
      this.refused = new RefusedAlone(batch, this.destination.content, delivery.reason, this.refused);
    // What was refused was too large itself, not what it shares: the others go together again.
    if (delivery.type === 'delivered') this.refused = undefined;
    const isStopped = this.stopping.signal.aborted && delivery.type === 'retry';
    if (!isStopped) await this.conclude(batch, delivery);
  }

  /** Called between deliveries only, so that none is cut by a change of files. */
  private currentSender(): Sender {
    const { current } = this.access;
    if (current !== this.senderAccess) {
      this.sender.close();
      this.sender = openSender(this.destination, current, this.limits);
      this.senderAccess = current;
      this.cutWait = new AbortController();
    }
    return this.sender;
  }

  private async conclude(batch: QueuedBatch, delivery: Delivery): Promise<void> {
    const count = batch.entries.length;
    let taken = 0;
    switch (delivery.type) {
      case 'retry':
        return this.wait(delivery.reason, delivery.askedMs);
      case 'exhausted':
        // Perhaps it is too large after all; so less is sent, and later, as to one that is overloaded.
        if (count > 1) this.itemsMax = Math.ceil(count / 4);
        if (count > 1 || (!this.tookEmpty && !(await this.isSuspect(batch.signal))))
          return this.wait(delivery.reason, undefined);
        if (!this.tookEmpty) {
          // It may have found room just now. Sent once more, nothing else can be to blame.
          this.tookEmpty = true;
          return;
        }
        this.drop(delivery.reason, batch);
        break;
      case 'too-large':
        if (count > 1) {
          this.itemsMax = Math.ceil(count / 2);
          return;
        }
        this.drop(delivery.reason, batch);
        break;
      case 'refused':
        if (await this.part(batch)) return;
        this.drop(delivery.reason, batch);
        break;
      case 'dropped':
        this.drop(delivery.reason, batch);
        break;
      case 'delivered': {
        // A request of metrics is one item, of which a destination may refuse many points.
        const rejected = Math.min(delivery.rejected, count);
        taken = count - rejected;
        if (rejected > 0) this.drop(`partial success: ${delivery.reason}`, batch, rejected);
        else if (delivery.reason !== '') this.tellWarning(delivery.reason);
        this.parted?.take();
        this.splits = FORWARD_SPLITS_MAX;
        // Not all at once: where requests may be no larger, each would be found by as many refusals again.
        this.itemsMax = Math.min(2 * this.itemsMax, this.limits.forwardItemsMax);
        break;
      }
    }
    await this.settle({ batch, taken, isTaken: delivery.type === 'delivered' });
  }

  private async settle(concluded: Conclusion): Promise<void> {
    const { batch, taken, isTaken } = concluded;
    this.concluded = concluded;
    await this.store.settleQueue(batch.entries.map(({ queueId }) => queueId));
    this.concluded = undefined;
    this.delivered += taken;
    this.isTaken.set(batch.signal, isTaken);
    this.exhausted = 0;
    this.tookEmpty = false;
    this.asked = 0;
    this.recover();
  }

  private recover(): void {
    if (this.attempt > 0) this.log.info('destination took deliveries again', { destination: this.destination.name });
    this.attempt = 0;
    this.toldFailures.clear();
    this.retryAt = undefined;
  }

  /** Whether a single item may be why the destination has no room: refused again and again, by one that takes an empty request. */
  private async isSuspect(signal: QueuedBatch['signal']): Promise<boolean> {
    this.exhausted += 1;
    return this.exhausted >= FORWARD_EXHAUSTED_TRIES && (await this.takesEmpty(signal));
  }

  /** Parts a batch that was refused for something in it; false where it is to be given up. */
  private async part(batch: QueuedBatch): Promise<boolean> {
    const { signal, entries } = batch;
    if (entries.length > 1) this.parted ??= new RefusedTogether(this.splits);
    if (this.parted === undefined) return false;
    if (this.parted.split(batch)) return true;
    if (entries.length > 1 || !this.parted.shouldAsk()) return false;
    const answer = await this.currentSender().deliver(signal, emptyRequest(this.collectorId), this.stopping.signal);
    if (answer.type === 'refused' || answer.type === 'dropped') this.parted.giveUp();
    return false;
  }

  /** Counts what is given up of a batch, and tells the log; which items a destination left out of what it took, it does not say. */
  private drop(reason: string, batch: QueuedBatch, rejected?: number): void {
    const key = this.dropped.has(reason) || this.dropped.size < DROP_REASONS_MAX ? reason : 'other reasons';
    const count = rejected ?? batch.entries.length;
    const { name: destination } = this.destination;
    const names = this.untold.get(key) ?? [];
    if (rejected === undefined && names.length < REFUSED_NAMES_MAX) names.push(...itemNames(batch));
    this.untold.set(key, names);
    this.refusals.tell(key, count, (all) => {
      const items = names.splice(0).slice(0, REFUSED_NAMES_MAX);
      const named: { items?: string } = items.length === 0 ? {} : { items: items.join(' ') };
      this.log.warn('destination refused items for good', { destination, reason, count: all, ...named });
    });
    this.count(key, count);
    this.lastError = reason;
  }

  private count(reason: string, count: number): void {
    this.dropped.set(reason, (this.dropped.get(reason) ?? 0) + count);
  }

  /** It took everything and has something to say all the same. */
  private tellWarning(message: string): void {
    const { name: destination } = this.destination;
    const kind = this.refusals.hasRoomFor(`warned ${message}`) ? message : '';
    this.refusals.tell(`warned ${kind}`, 1, (requests) =>
      this.log.warn('destination warned', { destination, message, requests }),
    );
  }

  private async wait(reason: string, askedMs: number | undefined): Promise<void> {
    this.attempt += 1;
    this.tookEmpty = false;
    this.lastError = reason;
    if (!this.toldFailures.has(reason) && this.toldFailures.size < FAILURE_REASONS_MAX) {
      this.toldFailures.add(reason);
      this.log.warn('delivery failed', { destination: this.destination.name, reason });
    }
    const delayMs = backoffMs(this.attempt, askedMs, this.limits);
    this.retryAt = Date.now() + delayMs;
    const signal = AbortSignal.any([this.stopping.signal, this.cutWait.signal]);
    await sleep(delayMs, undefined, { signal }).catch(() => undefined);
    if (this.cutWait.signal.aborted) this.cutWait = new AbortController();
  }

  private untilWoken(limitMs?: number): Promise<void> {
    if (this.isAwake) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = limitMs === undefined ? undefined : setTimeout(resolve, limitMs);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
