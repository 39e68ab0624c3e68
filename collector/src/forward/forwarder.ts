import { setTimeout as sleep } from 'node:timers/promises';
import type { Destination } from '../config.ts';
import { DROP_REASONS_MAX, FORWARD_ITEMS_MAX, FORWARD_REQUEST_BYTES } from '../limits.ts';
import type { QueuedBatch, Store } from '../store/store.ts';
import { backoffMs } from './backoff.ts';
import { type Delivery, deliver, endpointOf } from './deliver.ts';
import type { DestinationHealth } from './destination-health.ts';
import { writeBatch } from './write-batch.ts';

/** Sends what is queued for one destination, oldest first, until stopped. Works beside ingest and never delays it. */
export class Forwarder {
  private readonly destination: Destination;
  private readonly store: Store;
  private readonly stopping = new AbortController();
  private readonly dropped = new Map<string, number>();
  private running: Promise<void> = Promise.resolve();
  private wakeUp: () => void = () => undefined;
  private isAwake = true;
  private itemsMax = FORWARD_ITEMS_MAX;
  private delivered = 0;
  private attempt = 0;
  private lastError: string | undefined;
  private retryAt: number | undefined;

  constructor(destination: Destination, store: Store) {
    this.destination = destination;
    this.store = store;
  }

  /** Starts with what an earlier process left in the queue. */
  start(): void {
    this.running = this.run();
  }

  /** Says that something was queued. */
  wake(): void {
    this.isAwake = true;
    this.wakeUp();
  }

  /** Cuts a delivery in flight; its items stay queued. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.running;
  }

  /** How the destination is doing; the depth of its queue is the store's to say. */
  health(): Omit<DestinationHealth, 'queued'> {
    const { name, url, content } = this.destination;
    return {
      name,
      url,
      content,
      isHealthy: this.attempt === 0,
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
        const batch = await this.store.peekQueue(this.destination.name, this.itemsMax, FORWARD_REQUEST_BYTES);
        if (batch === undefined) await this.untilWoken();
        else await this.send(batch);
      } catch (thrown) {
        // A store that is busy or full refuses the bookkeeping; the items stay queued and are sent again.
        await this.wait(thrown instanceof Error ? thrown.message : String(thrown), undefined);
      }
    }
  }

  private async send(batch: QueuedBatch): Promise<void> {
    const request = writeBatch(batch, this.destination.content);
    const endpoint = endpointOf(this.destination.url, batch.signal);
    const delivery: Delivery =
      request === undefined
        ? { type: 'delivered', rejected: 0, reason: '' }
        : await deliver(endpoint, request, this.stopping.signal);
    const isStopped = this.stopping.signal.aborted && delivery.type === 'retry';
    if (!isStopped) await this.conclude(batch, delivery);
  }

  private async conclude(batch: QueuedBatch, delivery: Delivery): Promise<void> {
    const count = batch.entries.length;
    switch (delivery.type) {
      case 'retry':
        return this.wait(delivery.reason, delivery.askedMs);
      case 'too-large':
        if (count > 1) {
          this.itemsMax = Math.ceil(count / 2);
          return;
        }
        this.drop(delivery.reason, count);
        break;
      case 'dropped':
        this.drop(delivery.reason, count);
        break;
      case 'delivered':
        this.delivered += count - Math.min(delivery.rejected, count);
        if (delivery.rejected > 0) this.drop(`partial success: ${delivery.reason}`, delivery.rejected);
        this.itemsMax = FORWARD_ITEMS_MAX;
        break;
    }
    await this.store.settleQueue(batch.entries.map(({ queueId }) => queueId));
    this.attempt = 0;
    this.retryAt = undefined;
  }

  private drop(reason: string, count: number): void {
    const key = this.dropped.has(reason) || this.dropped.size < DROP_REASONS_MAX ? reason : 'other reasons';
    this.dropped.set(key, (this.dropped.get(key) ?? 0) + count);
    this.lastError = reason;
  }

  private async wait(reason: string, askedMs: number | undefined): Promise<void> {
    this.attempt += 1;
    this.lastError = reason;
    const delayMs = backoffMs(this.attempt, askedMs);
    this.retryAt = Date.now() + delayMs;
    await sleep(delayMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  private untilWoken(): Promise<void> {
    if (this.isAwake) return Promise.resolve();
    return new Promise((resolve) => {
      this.wakeUp = resolve;
    });
  }
}
