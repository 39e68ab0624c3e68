import { UNREAD_RUNS_NAMED_MAX } from './limits.ts';
import type { Summariser } from './query/summariser.ts';
import type { Store } from './store/store.ts';

/** What came of the deletion of a user. */
export interface DeletedUser {
  readonly deletedItems: number;
  /** Runs of the tenant that are there still and could not be read whole, so that nothing says whether they name the user; some of them where there are many. */
  readonly unreadRuns?: readonly string[];
}

/** Whom a run names is known of what was read of it: of what was not, somebody has to decide. */
export async function deleteUser(
  { store, summariser }: { readonly store: Store; readonly summariser: Summariser },
  { tenant, user }: { readonly tenant: string; readonly user: string },
  signal?: AbortSignal,
): Promise<DeletedUser> {
  await summariser.settle(tenant);
  const deletedItems = await store.eraseUser(tenant, user, signal);
  const unreadRuns: string[] = [];
  for (const missing of ['unread', 'damaged'] as const) {
    const { runs } = await store.listRuns(tenant, { missing, replays: 'include' }, UNREAD_RUNS_NAMED_MAX);
    unreadRuns.push(...runs.map(({ traceId }) => traceId).filter((traceId) => !unreadRuns.includes(traceId)));
  }
  return unreadRuns.length === 0 ? { deletedItems } : { deletedItems, unreadRuns };
}
