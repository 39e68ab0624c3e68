import type { StaleTrace, Store } from '../store/store.ts';
import { SUMMARIES_NEWEST_FIRST } from './limits.ts';
import type { RecentDeletions } from './tail/recent-deletions.ts';

/** Where a tail goes on from an answer. */
export interface FollowPlace {
  /** The id after which it tells all that the answer lacks. */
  readonly followFrom: string;
  /** The runs that wait for their summary, those that changed last first; no more than some. */
  readonly waiting: readonly StaleTrace[];
}

/** Says where tails go on from answers. */
export class FollowPlaces {
  private readonly store: Pick<Store, 'lastSummary' | 'newestStale'>;
  private readonly deletions: RecentDeletions;

  constructor(store: Pick<Store, 'lastSummary' | 'newestStale'>, deletions: RecentDeletions) {
    this.store = store;
    this.deletions = deletions;
  }

  /** Where a tail begins that tells what an answer lacks which is read behind this. */
  async of(tenant: string): Promise<FollowPlace> {
    // First what was deleted last, and the last summary: what comes in between is behind them.
    const deletions = this.deletions.placeOf(this.deletions.lastNumber);
    const last = await this.store.lastSummary();
    const waiting = await this.store.newestStale(tenant, SUMMARIES_NEWEST_FIRST);
    return { followFrom: `${last}.${deletions}`, waiting };
  }
}
