import type { RunQuery } from '@reenact/trace-model/collector-api';
import type { RunPage, Store } from '../store/store.ts';
import type { FollowPlace, FollowPlaces } from './follow-place.ts';
import type { Summariser } from './summaries/summariser.ts';

/** A page of runs as questions are answered with it. */
export interface AnsweredPage extends RunPage, FollowPlace {
  /** How many runs it may lack because they wait for their summary. */
  readonly unsummarised: number;
}

/** What a page is made of. */
export interface PageSources {
  readonly store: Store;
  readonly summariser: Pick<Summariser, 'catchUp' | 'waitOut'>;
  readonly places: FollowPlaces;
}

/**
 * A page of summarised runs, once their summaries were waited for. A complete page that is empty, with another behind it, is given only when there is nothing
 * more to wait for: whoever asks for the next one at once would otherwise do so hundreds of times a second while summaries fail.
 */
export async function pageOfRuns(
  { store, summariser, places }: PageSources,
  tenant: string,
  query: RunQuery,
  limit: number,
): Promise<AnsweredPage> {
  if (query.complete !== true) {
    const unsummarised = await summariser.catchUp(tenant);
    const place = await places.of(tenant);
    return { ...(await store.listRuns(tenant, query, limit)), ...place, unsummarised };
  }
  const startedMs = performance.now();
  const asked = await store.lastChange();
  const list = async (unsummarised: number): Promise<AnsweredPage> => {
    const place = await places.of(tenant);
    // Where nothing waits any more, all that was there is summarised as it was; a run that goes on and on would hold up every page.
    const page = await store.listRuns(tenant, query, limit, unsummarised === 0 ? undefined : asked);
    return { ...page, ...place, unsummarised };
  };
  const page = await list(await summariser.catchUp(tenant));
  if (page.runs.length > 0 || page.next === undefined) return page;
  return list(await summariser.waitOut(tenant, startedMs));
}
