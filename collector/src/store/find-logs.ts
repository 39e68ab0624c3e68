import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogPlace } from './index/item-reader.ts';
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
  const found = {
    traceIds: [] as string[],
    records: [] as number[],
    unreadTraceIds: [] as string[],
    unreadDays: [] as string[],
  };
  for (const rowKey of reader.read(() => reader.items.rowsWithLogs(tenant))) {
    if (signal?.aborted === true) break;
    const day = dayOfRow(rowKey);
    const row = new SoughtRow(reader, tenant, rowKey, holdsSought);
    // A trace goes as a whole.
    for await (const id of row.sought()) {
      if (day !== undefined) found.records.push(id);
      else if (found.traceIds.push(rowKey) > 0) break;
    }
    if (!row.isUnread) continue;
    if (day !== undefined) found.unreadDays.push(day);
    else if (found.traceIds.at(-1) !== rowKey) found.unreadTraceIds.push(rowKey);
  }
  return found;
}

/** The log records of one row of the index. */
class SoughtRow {
  /** Whether some of those that were looked at cannot be read. */
  isUnread = false;
  private readonly reader: StoreReader;
  private readonly holdsSought: HoldsSought;
  private readonly places: readonly LogPlace[];
  /** Each would be read again for every record in it. */
  private readonly unreadBlocks = new Set<number>();

  constructor(reader: StoreReader, tenant: string, rowKey: string, holdsSought: HoldsSought) {
    this.reader = reader;
    this.holdsSought = holdsSought;
    this.places = reader.read(() => reader.items.logPlaces(tenant, rowKey));
  }

  /** The ids of those that are sought, a piece at a time. */
  async *sought(): AsyncGenerator<number> {
    const places = this.places.values();
    for (;;) {
      const records = this.reader.read(() => this.nextRecords(places));
      if (records === undefined) return;
      if (this.mayHold([...records.values()])) {
        for (const [id, record] of records) if (this.holds(record)) yield id;
      }
      await nextTurn();
    }
  }

  /** As many as are looked at in one go, by their ids; undefined where none is left. */
  private nextRecords(places: Iterator<LogPlace>): Map<number, StoredItem> | undefined {
    const records = new Map<number, StoredItem>();
    let bytes = 0;
    while (records.size < LOGS_SOUGHT_AT_ONCE && bytes < LOGS_SOUGHT_BYTES) {
      const { done, value } = places.next();
      if (done === true) return records.size === 0 ? undefined : records;
      const item = this.read(value);
      if (item === undefined) continue;
      bytes += item.bytes.length;
      records.set(value.id, item);
    }
    return records;
  }

  private read({ id, block }: LogPlace): StoredItem | undefined {
    if (this.unreadBlocks.has(block)) return undefined;
    try {
      return this.reader.items.readItem(id);
    } catch {
      this.isUnread = true;
      if (block !== 0) this.unreadBlocks.add(block);
      return undefined;
    }
  }

  /** Together first: what records share is read once for all of them. Where one cannot be read, each by itself says which. */
  private mayHold(records: readonly StoredItem[]): boolean {
    try {
      return this.holdsSought(records);
    } catch {
      return true;
    }
  }

  private holds(record: StoredItem): boolean {
    try {
      return this.holdsSought([record]);
    } catch {
      this.isUnread = true;
      return false;
    }
  }
}
