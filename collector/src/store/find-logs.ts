import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOfRow } from './index/row-key.ts';
import { LOGS_SOUGHT_AT_ONCE } from './limits.ts';
import type { FoundLogs, StoredItem } from './store.ts';
import type { StoreReader } from './store-reader.ts';

type HoldsSought = (records: readonly StoredItem[]) => boolean;

/** Looks through the log records of a tenant, see the contract in store.ts. */
export async function findLogs(
  reader: StoreReader,
  tenant: string,
  holdsSought: HoldsSought,
  signal?: AbortSignal,
): Promise<FoundLogs> {
  const found = { traceIds: [] as string[], days: [] as string[], unreadTraceIds: [] as string[] };
  for (const rowKey of reader.read(() => reader.items.rowsWithLogs(tenant))) {
    if (signal?.aborted === true) break;
    const day = dayOfRow(rowKey);
    const state = await stateOf(reader, tenant, rowKey, holdsSought);
    if (state === 'others') continue;
    if (day !== undefined) found.days.push(day);
    else if (state === 'sought') found.traceIds.push(rowKey);
    else found.unreadTraceIds.push(rowKey);
  }
  return found;
}

async function stateOf(
  reader: StoreReader,
  tenant: string,
  rowKey: string,
  holdsSought: HoldsSought,
): Promise<'sought' | 'unread' | 'others'> {
  const ids = reader.read(() => reader.items.logIds(tenant, rowKey));
  for (let from = 0; from < ids.length; from += LOGS_SOUGHT_AT_ONCE) {
    try {
      const records = reader.read(() =>
        ids.slice(from, from + LOGS_SOUGHT_AT_ONCE).flatMap((id) => reader.items.readItem(id) ?? []),
      );
      if (holdsSought(records)) return 'sought';
    } catch {
      return 'unread';
    }
    await nextTurn();
  }
  return 'others';
}
