import type { StaleTrace, Store } from '../store/store.ts';
import { SUMMARIES_NEWEST_FIRST } from './limits.ts';
import type { RecentDeletions } from './tail/recent-deletions.ts';

/** Where a tail goes on from an answer. */
export interface FollowPlace {
  /** The id after which it tells all that the answer lacks. */
  readonly followFrom: string;
  /** The runs that wait for their summary and are told for it, those that changed last first. */
  readonly waiting: readonly StaleTrace[];
}

/** Says where tails go on from answers. */
export class FollowPlaces {
  private readonly store: Pick<Store, 'lastChange' | 'newestStale'>;
  private readonly deletions: RecentDeletions;

  constructor(store: Pick<Store, 'lastChange' | 'newestStale'>, deletions: RecentDeletions) {
    this.store = store;
    this.deletions = deletions;
  }

  /**
   * Where a tail begins that tells what an answer lacks which is read behind this. It goes back over those that changed last of the runs that wait for
   * their summary: over all, behind a burst, a page would be told thousands of times what is older than anything it shows.
   */
  async of(tenant: string): Promise<FollowPlace> {
    // First what was deleted last, and the last change: what comes in between is behind them.
    const deletions = this.deletions.placeOf(this.deletions.lastNumber);
    const last = await this.store.lastChange();
    const waiting = await this.store.newestStale(tenant, SUMMARIES_NEWEST_FIRST);
    const first = waiting.at(-1);
    const change = first === undefined ? last : Math.min(last, first.change - 1);
    return { followFrom: `${change}.${deletions}`, waiting };
  }
}
