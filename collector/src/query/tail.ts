import type { ServerResponse } from 'node:http';
import { ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS, type TailEvent, type TailQuery } from '@reenact/trace-model/collector-api';
import type { ChangedRun, Store } from '../store/store.ts';
import { type Answerer, parametersOf, type Question } from './answer.ts';
import { TAIL_RUNS_PER_STEP } from './limits.ts';
import type { PriceTable } from './price-table.ts';

/** How patient a tail is. */
export interface TailTimes {
  readonly heartbeatMs: number;
  readonly slowReaderMs: number;
}

/** What a tail is made of. */
export interface TailOptions {
  readonly store: Store;
  readonly prices: PriceTable;
  readonly times: TailTimes;
  /** Readers at one time. */
  readonly readersMax: number;
  /** Told when a reader begins: `isFollowed` may be true of its tenant for the first time. */
  readonly onReader?: () => void;
}

/** What one reader follows. */
interface Followed {
  readonly tenant: string;
  readonly filters: TailQuery;
  /** Whether runs that changed and do not pass are told, too. */
  readonly leaving: boolean;
}

type DropReason = Extract<TailEvent, { event: 'dropped' }>['data']['reason'];

interface FollowedChange extends ChangedRun {
  readonly isLeft: boolean;
}

/** What changed after a change, of what a reader follows; in the order of changes, no more than one step. */
async function changesOf(store: Store, followed: Followed, after: number): Promise<FollowedChange[]> {
  const { tenant, filters, leaving } = followed;
  const all = leaving ? await store.listChanges(tenant, { replays: 'include' }, after, TAIL_RUNS_PER_STEP) : undefined;
  // Looked for after all: a run that changes between both looks has a newer change by then, and is told once more with that.
  const passing = await store.listChanges(tenant, filters, after, TAIL_RUNS_PER_STEP);
  if (all === undefined) return passing.map((changed) => ({ ...changed, isLeft: false }));
  const passed = new Set(passing.map(({ change }) => change));
  return all.map((changed) => ({ ...changed, isLeft: !passed.has(changed.change) }));
}

/**
 * One reader that follows runs. It asks the store for what changed after the last change it was told: nothing is held in memory
 * for it, and where it left off is all that is needed to go on.
 */
class TailReader {
  private readonly response: ServerResponse;
  private readonly options: TailOptions;
  private readonly followed: Followed;
  private change: number;
  private isReading = false;
  private isDue = false;
  private isEnded = false;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: TailOptions, followed: Followed, change: number) {
    this.response = response;
    this.options = options;
    this.followed = followed;
    this.change = change;
  }

  get tenant(): string {
    return this.followed.tenant;
  }

  start(onEnd: () => void): void {
    this.response.on('close', () => {
      this.isEnded = true;
      clearInterval(this.heartbeat);
      onEnd();
    });
    // Whoever only reads and ends its half has left: without this the place would be taken until the next heartbeat fails.
    const { socket } = this.response;
    if (socket?.readableEnded) this.response.destroy();
    else socket?.once('end', () => this.response.destroy());
    this.response.writeHead(200, {
      'content-type': 'text/event-stream',
      // A proxy that packs answers would hold back what does not fill its buffer.
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    // Sent at once, so that the reader knows where it begins also when nothing happens.
    this.response.write(`id: ${this.change}\n: reenact\n\n`);
    this.heartbeat = setInterval(() => this.beat(), this.options.times.heartbeatMs);
    this.wake();
  }

  /** Tells what has changed, unless that is going on. */
  wake(): void {
    this.isDue = true;
    if (this.isReading || this.isEnded) return;
    this.isReading = true;
    this.tell()
      // A store that cannot be read now is asked again at the next change or heartbeat.
      .catch(() => undefined)
      .finally(() => {
        this.isReading = false;
        if (this.isDue) this.wake();
      });
  }

  /** Says why, and ends. */
  drop(reason: DropReason): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearInterval(this.heartbeat);
    const data = JSON.stringify({ reason, lastEventId: String(this.change) });
    this.response.end(`event: dropped\ndata: ${data}\n\n`);
    // A reader that does not even read this keeps no connection open.
    setTimeout(() => this.response.destroy(), this.options.times.slowReaderMs).unref();
  }

  private beat(): void {
    if (!this.isReading) this.response.write(': heartbeat\n\n');
    this.wake();
  }

  private async tell(): Promise<void> {
    while (this.isDue && !this.isEnded) {
      this.isDue = false;
      const changed = await changesOf(this.options.store, this.followed, this.change);
      if (changed.length === TAIL_RUNS_PER_STEP) this.isDue = true;
      for (const { change, summary, isLeft } of changed) {
        if (this.isEnded) return;
        this.change = change;
        const told = isLeft
          ? `event: left\ndata: ${JSON.stringify({ traceId: summary.traceId })}`
          : `event: run\ndata: ${JSON.stringify(this.options.prices.priced(summary))}`;
        if (!this.response.write(`id: ${change}\n${told}\n\n`)) await this.drained();
      }
    }
  }

  private drained(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.response.off('drain', done).off('close', done);
        resolve();
      };
      const timer = setTimeout(() => {
        this.drop('reader-too-slow');
        done();
      }, this.options.times.slowReaderMs);
      this.response.on('drain', done).on('close', done);
    });
  }
}

/** Everybody who follows runs. */
export class Tail {
  private readonly options: TailOptions;
  private readonly readers = new Set<TailReader>();

  constructor(options: TailOptions) {
    this.options = options;
  }

  /** Tells every reader what has changed. */
  wake(): void {
    for (const reader of this.readers) reader.wake();
  }

  /** Whether a reader follows the runs of a tenant. */
  isFollowed(tenant: string): boolean {
    for (const reader of this.readers) if (reader.tenant === tenant) return true;
    return false;
  }

  /** Sends every reader away; each knows where to go on. */
  stop(): void {
    for (const reader of this.readers) reader.drop('collector-stops');
  }

  /** `GET /api/v1/tail`: runs as they come and change, as server-sent events. */
  answerer(): Answerer {
    return async (question) => {
      const { leaving = false, ...filters } = parametersOf(question, API_OPERATIONS.tailRuns.parameters);
      const change = await this.beginning(question);
      // Asked once before anything is sent: what the filters cannot be is still answered as an error.
      await this.options.store.listChanges(question.tenant, filters, Number.MAX_SAFE_INTEGER, 1);
      if (this.readers.size >= this.options.readersMax) throw tooMany(this.options.readersMax);
      return {
        contentType: 'text/event-stream',
        stream: async (response) => {
          const reader = new TailReader(response, this.options, { tenant: question.tenant, filters, leaving }, change);
          this.readers.add(reader);
          reader.start(() => this.readers.delete(reader));
          this.options.onReader?.();
        },
      };
    };
  }

  private async beginning({ lastEventId }: Question): Promise<number> {
    const last = await this.options.store.lastChange();
    if (lastEventId === undefined) return last;
    if (/^\d{1,15}$/.test(lastEventId)) {
      const place = Number(lastEventId);
      // A place that this store never had is of another, as before a backup was restored: what the reader knows of this one is not known.
      return place > last ? 0 : place;
    }
    throw new ReenactError('bad-request', 'Last-Event-ID is not an id of this stream.', {
      where: 'last-event-id',
      next: 'Send the id of the last event that was read, or leave the header out.',
    });
  }
}

function tooMany(readersMax: number): ReenactError {
  return new ReenactError('store-busy', `${readersMax} readers follow runs already.`, {
    next: 'Retry later, or ask GET /api/v1/runs from time to time.',
    retryable: true,
  });
}
