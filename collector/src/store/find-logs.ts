import { setImmediate as nextTurn } from 'node:timers/promises';
import { dayOfRow } from './index/row-key.ts';
import { LOGS_SOUGHT_AT_ONCE, LOGS_SOUGHT_BYTES } from './limits.ts';
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
  const ids = reader.read(() => reader.items.logIds(tenant, rowKey)).values();
  for (;;) {
    try {
      const records = reader.read(() => nextRecords(reader, ids));
      if (records.length === 0) return 'others';
      if (holdsSought(records)) return 'sought';
    } catch {
      return 'unread';
    }
    await nextTurn();
  }
}

/** As many as are looked at in one go; none where none is left. */
function nextRecords({ items }: StoreReader, ids: Iterator<number>): StoredItem[] {
  const records: StoredItem[] = [];
  let bytes = 0;
  while (records.length < LOGS_SOUGHT_AT_ONCE && bytes < LOGS_SOUGHT_BYTES) {
    const { done, value } = ids.next();
    if (done === true) break;
    const item = items.readItem(value);
    if (item === undefined) continue;
    bytes += item.bytes.length;
    records.push(item);
  }
  return records;
}
