import type { ServerResponse } from 'node:http';
import type { TailEvent, TailQuery } from '@reenact/trace-model/collector-api';
import type { NumberedRun, Store } from '../../store/store.ts';
import { TAIL_RUNS_PER_STEP } from '../limits.ts';
import type { PriceTable } from '../price-table.ts';
import type { RecentDeletions } from './recent-deletions.ts';

/** How patient a tail is. */
export interface TailTimes {
  readonly heartbeatMs: number;
  readonly slowReaderMs: number;
}

/** What a reader of a tail is told from. */
export interface TailReaderOptions {
  readonly store: Pick<Store, 'listSummarised'>;
  readonly prices: PriceTable;
  readonly times: TailTimes;
  readonly deletions: RecentDeletions;
}

/** What one reader follows. */
export interface Followed {
  readonly tenant: string;
  readonly filters: TailQuery;
  /** Whether runs that are summarised and do not pass are told, too, and those that were deleted. */
  readonly leaving: boolean;
}

/** Where a tail goes on. */
export interface TailPlace {
  /** The number of the last summary that was told. */
  readonly summary: number;
  /** Number of the last deletion that was told; undefined where it is not known what was deleted since. */
  readonly deletion: number | undefined;
}

type DropReason = Extract<TailEvent, { event: 'dropped' }>['data']['reason'];

interface FollowedRun extends NumberedRun {
  readonly isLeft: boolean;
}

/** What was summarised after a summary, of what a reader follows; in that order, no more than one step. */
async function runsAfter(store: TailReaderOptions['store'], followed: Followed, after: number): Promise<FollowedRun[]> {
  const { tenant, filters, leaving } = followed;
  const all = leaving
    ? await store.listSummarised(tenant, { replays: 'include' }, after, TAIL_RUNS_PER_STEP)
    : undefined;
  // Looked for after all: a run that is summarised between both looks has a newer number by then, and is told once more with that.
  const passing = await store.listSummarised(tenant, filters, after, TAIL_RUNS_PER_STEP);
  if (all === undefined) return passing.map((run) => ({ ...run, isLeft: false }));
  const passed = new Set(passing.map(({ number }) => number));
  return all.map((run) => ({ ...run, isLeft: !passed.has(run.number) }));
}

/**
 * One reader that follows runs. It asks the store for what was summarised after the last summary it was told: nothing is held in memory
 * for it, and where it left off is all that is needed to go on.
 */
export class TailReader {
  private readonly response: ServerResponse;
  private readonly options: TailReaderOptions;
  private readonly followed: Followed;
  private summary: number;
  private deletion: TailPlace['deletion'];
  private isReading = false;
  private isDue = false;
  private isEnded = false;
  private heartbeat: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, options: TailReaderOptions, followed: Followed, place: TailPlace) {
    this.response = response;
    this.options = options;
    this.followed = followed;
    this.summary = place.summary;
    this.deletion = place.deletion;
  }

  get tenant(): string {
    return this.followed.tenant;
  }

  private get lacksDeletions(): boolean {
    return this.followed.leaving && this.deletion === undefined;
  }

  /** What a reader that was told so far comes back with. */
  private get place(): string {
    const { deletions } = this.options;
    if (!this.followed.leaving) return String(this.summary);
    return `${this.summary}.${deletions.placeOf(this.deletion ?? deletions.lastNumber)}`;
  }

  /** Begins; told when the reader has gone. */
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
    // Sent at once, so that the reader knows where it begins also when nothing happens; one that may lack deletions stays where it was until it is told.
    this.response.write(this.lacksDeletions ? ': reenact\n\n' : `id: ${this.place}\n: reenact\n\n`);
    this.heartbeat = setInterval(() => this.beat(), this.options.times.heartbeatMs);
    this.wake();
  }

  /** Tells what has been summarised, unless that is going on. */
  wake(): void {
    this.isDue = true;
    if (this.isReading || this.isEnded) return;
    this.isReading = true;
    this.tell()
      // A store that cannot be read now is asked again at the next summary or heartbeat.
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
    const data = JSON.stringify({ reason, lastEventId: this.place });
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
      // Before what was summarised is read: a run that was read before it was deleted is told before, and one that came again since behind.
      await this.tellDeletions();
      const runs = await runsAfter(this.options.store, this.followed, this.summary);
      for (const { number, summary, isLeft } of runs) {
        if (this.isEnded) return;
        this.summary = number;
        await (isLeft
          ? this.write('left', { traceId: summary.traceId })
          : this.write('run', this.options.prices.priced(summary)));
      }
      if (runs.length === TAIL_RUNS_PER_STEP) this.isDue = true;
    }
  }

  private async tellDeletions(): Promise<void> {
    const { deletions } = this.options;
    if (this.lacksDeletions) {
      this.deletion = deletions.lastNumber;
      await this.write('forgotten', {});
    }
    while (this.followed.leaving && !this.isEnded) {
      const { deletion, number } = deletions.next(this.tenant, this.deletion ?? deletions.lastNumber);
      this.deletion = number;
      if (deletion === undefined) return;
      await this.write('deleted', { traceIds: deletion.traceIds });
    }
  }

  /** Tells something, and that all up to the present place is told. */
  private async write(event: string, data: unknown): Promise<void> {
    await this.send(`id: ${this.place}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  private async send(text: string): Promise<void> {
    if (!this.response.write(text)) await this.drained();
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
