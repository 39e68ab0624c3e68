import type { StaleTrace, Store } from '../store/store.ts';
import { SUMMARIES_NEWEST_FIRST } from './limits.ts';

/** Where a tail goes on from an answer. */
export interface FollowPlace {
  /** The id after which it tells all that the answer lacks. */
  readonly followFrom: string;
  /** The runs that wait for their summary and are told for it, those that changed last first. */
  readonly waiting: readonly StaleTrace[];
}

/**
 * Where a tail begins that tells what an answer lacks which is read behind this. It goes back over those that changed last of the runs that wait for
 * their summary: over all, behind a burst, a page would be told thousands of times what is older than anything it shows.
 */
export async function followPlaceOf(
  store: Pick<Store, 'lastChange' | 'newestStale'>,
  tenant: string,
): Promise<FollowPlace> {
  // First the last change: what changes in between is behind it.
  const last = await store.lastChange();
  const waiting = await store.newestStale(tenant, SUMMARIES_NEWEST_FIRST);
  const first = waiting.at(-1);
  return { followFrom: String(first === undefined ? last : Math.min(last, first.change - 1)), waiting };
}
