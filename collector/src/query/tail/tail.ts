import { ReenactError } from '@reenact/trace-model';
import { API_OPERATIONS } from '@reenact/trace-model/collector-api';
import type { Store } from '../../store/store.ts';
import { type Answerer, parametersOf, type Question } from '../answer.ts';
import type { PriceTable } from '../price-table.ts';
import type { RecentDeletions } from './recent-deletions.ts';
import { type TailPlace, TailReader, type TailReaderOptions, type TailTimes } from './tail-reader.ts';

/** What a tail is made of. */
export interface TailOptions {
  readonly store: Store;
  readonly prices: PriceTable;
  readonly deletions: RecentDeletions;
  readonly times: TailTimes;
  /** Readers at one time. */
  readonly readersMax: number;
  /** Told when a reader begins: `isFollowed` may be true of its tenant for the first time. */
  readonly onReader?: () => void;
}

/** The number of the last summary that was told; for those who follow what leaves, also up to where deletions were. */
const EVENT_ID = /^(\d{1,15})(?:\.([0-9a-f]{8}\.\d{1,15}))?$/;

/** Everybody who follows runs. */
export class Tail {
  private readonly options: TailOptions;
  private readonly reading: TailReaderOptions;
  private readonly readers = new Set<TailReader>();

  constructor(options: TailOptions) {
    this.options = options;
    const { store, prices, times, deletions } = options;
    this.reading = { store, prices, times, deletions };
    deletions.onAdded(() => this.wake());
  }

  /** Tells every reader what has been summarised: to be called behind each batch of summaries. */
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
      const place = await this.beginning(question);
      // Asked once before anything is sent: what the filters cannot be is still answered as an error.
      await this.options.store.listSummarised(question.tenant, filters, Number.MAX_SAFE_INTEGER, 1);
      if (this.readers.size >= this.options.readersMax) throw tooMany(this.options.readersMax);
      return {
        contentType: 'text/event-stream',
        stream: async (response) => {
          const reader = new TailReader(response, this.reading, { tenant: question.tenant, filters, leaving }, place);
          this.readers.add(reader);
          reader.start(() => this.readers.delete(reader));
          this.options.onReader?.();
        },
      };
    };
  }

  private async beginning({ lastEventId }: Question): Promise<TailPlace> {
    const { deletions, store } = this.options;
    // Before what was summarised last: what is deleted in between is told.
    const deletion = deletions.lastNumber;
    const last = await store.lastSummary();
    if (lastEventId === undefined) return { summary: last, deletion };
    const [, summary, known] = EVENT_ID.exec(lastEventId) ?? [];
    if (summary === undefined) {
      throw new ReenactError('bad-request', 'Last-Event-ID is not an id of this stream.', {
        where: 'last-event-id',
        next: 'Send the id of the last event that was read, or leave the header out.',
      });
    }
    // A place that this store never had is of another, as before a backup was restored: what the reader knows of this one is not known.
    return { summary: Number(summary) > last ? 0 : Number(summary), deletion: deletions.numberAt(known) };
  }
}

function tooMany(readersMax: number): ReenactError {
  return new ReenactError('store-busy', `${readersMax} readers follow runs already.`, {
    next: 'Retry later, or ask GET /api/v1/runs from time to time.',
    retryable: true,
  });
}
