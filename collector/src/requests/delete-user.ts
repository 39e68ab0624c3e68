import { toMap } from '@reenact/otlp';
import { ATTR_USER_ID } from '@reenact/semconv/core';
import { UNREAD_RUNS_NAMED_MAX } from '../limits.ts';
import type { Summariser } from '../query/summaries/summariser.ts';
import { decodeLogs } from '../query/traces/decode-trace.ts';
import { textOf } from '../query/traces/read-span.ts';
import type { Store, StoredItem } from '../store/store.ts';

/** What came of the deletion of a user. */
export interface DeletedUser {
  readonly deletedItems: number;
  /** Runs of the tenant that are there still and could not be read whole, so that nothing says whether they name the user; some of them where there are many. */
  readonly unreadRuns?: readonly string[];
  /** Whether there are more of them than are named. */
  readonly hasMoreUnreadRuns?: true;
  /** Days, as 2026-11-28, on which log records came that belong to no run and cannot be read, so that nothing says whether they name the user: they are there still, and go by the age of their day. */
  readonly unreadLogDays?: readonly string[];
}

/** Whether one of some log records, or what it came from, names a user. */
function nameUser(records: readonly StoredItem[], user: string): boolean {
  return decodeLogs(records).resourceLogs.some(({ resource, scopeLogs }) => {
    const attributes = [
      resource?.attributes,
      ...scopeLogs.flatMap(({ logRecords }) => logRecords.map((record) => record.attributes)),
    ];
    return attributes.some((some) => textOf(toMap(some ?? []), ATTR_USER_ID) === user);
  });
}

/** Whom a run names is known of what was read of it: of what was not, somebody has to decide. */
export async function deleteUser(
  { store, summariser }: { readonly store: Store; readonly summariser: Summariser },
  { tenant, user }: { readonly tenant: string; readonly user: string },
  signal?: AbortSignal,
): Promise<DeletedUser> {
  await summariser.settle(tenant);
  // A summary knows what spans and their resources name; log records may name somebody else.
  const logs = await store.findLogs(tenant, (records) => nameUser(records, user), signal);
  let deletedItems = await store.eraseUser(tenant, user, signal);
  if (logs.traceIds.length > 0)
    deletedItems += await store.erase(
      logs.traceIds.map((traceId) => [tenant, traceId] as const),
      signal,
    );
  if (logs.records.length > 0) deletedItems += await store.eraseRecords(logs.records, signal);
  const unreadRuns = logs.unreadTraceIds.slice(0, UNREAD_RUNS_NAMED_MAX);
  let hasMore = logs.unreadTraceIds.length > unreadRuns.length;
  for (const missing of ['unread', 'damaged'] as const) {
    const { runs, next } = await store.listRuns(tenant, { missing, replays: 'include' }, UNREAD_RUNS_NAMED_MAX);
    hasMore ||= next !== undefined;
    unreadRuns.push(...runs.map(({ traceId }) => traceId).filter((traceId) => !unreadRuns.includes(traceId)));
  }
  return {
    deletedItems,
    ...(unreadRuns.length === 0 ? {} : { unreadRuns }),
    ...(hasMore ? { hasMoreUnreadRuns: true } : {}),
    ...(logs.unreadDays.length === 0 ? {} : { unreadLogDays: logs.unreadDays }),
  };
}
