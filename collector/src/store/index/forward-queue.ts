import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { SIGNALS } from '../database/schema.ts';
import { ItemBytes } from '../log/item-bytes.ts';
import type { QueuedBatch, QueuedSignal, StoredItem } from '../store.ts';
import { isDamagedTelemetry } from '../store-error.ts';
import type { ItemReader } from './item-reader.ts';

/** Reads the persistent queues of the forwarders: rows that name stored items. */
export class ForwardQueue {
  private readonly reader: ItemReader;
  private readonly oldest: StatementSync;
  private readonly count: StatementSync;
  private readonly oldestTime: StatementSync;

  constructor(database: DatabaseSync, reader: ItemReader) {
    this.reader = reader;
    this.oldest = database.prepare(
      'SELECT id, signal, item, passed FROM queue WHERE destination = ? ORDER BY id LIMIT ?',
    );
    this.count = database.prepare('SELECT destination, count(*) AS depth FROM queue GROUP BY destination');
    this.oldestTime = database.prepare('SELECT queued_ms FROM queue WHERE destination = ? ORDER BY id LIMIT 1');
  }

  peek(destination: string, itemsMax: number, bytesMax: number, bytesLimit: number): QueuedBatch | undefined {
    const rows = this.oldest.all(destination, itemsMax);
    const signal = SIGNALS[Number(rows[0]?.signal)];
    if (signal === undefined) return undefined;
    const passed = rows[0]?.passed;
    const entries: { queueId: number; item: StoredItem | undefined }[] = [];
    const bytes = new ItemBytes();
    let damage: string | undefined;
    for (const row of rows) {
      if (SIGNALS[Number(row.signal)] !== signal || row.passed !== passed) break;
      if (signal === 'metrics' && entries.length > 0) break;
      const read = this.readWhole(signal, Number(row.item));
      // What cannot be read is given by itself, behind what came before it.
      const isOfOthers = (read.damage === undefined) !== (damage === undefined);
      if (entries.length > 0 && isOfOthers) break;
      damage ??= read.damage;
      const { item } = read;
      if (item !== undefined && entries.length > 0 && bytes.isFullBefore(item, bytesMax, bytesLimit)) break;
      if (item !== undefined) bytes.add(item);
      // What a request says beside its resources is said of its first item: others would share it, or give it theirs.
      const isAlone = item !== undefined && isSaidOfRequest(item);
      if (isAlone && entries.length > 0) break;
      entries.push({ queueId: Number(row.id), item });
      if (isAlone) break;
    }
    return {
      signal,
      passed: String(passed)
        .split(',')
        .filter((id) => id !== ''),
      entries,
      ...(damage === undefined ? {} : { damage }),
    };
  }

  depths(): Map<string, number> {
    return new Map(this.count.all().map((row) => [String(row.destination), Number(row.depth)]));
  }

  /** When what waits longest was queued; undefined where nothing waits, and where that was not noted. */
  oldestQueuedMs(destination: string): number | undefined {
    const queuedMs = this.oldestTime.get(destination)?.queued_ms;
    return queuedMs === undefined || queuedMs === null ? undefined : Number(queuedMs);
  }

  private readWhole(
    signal: QueuedSignal,
    id: number,
  ): { readonly item?: StoredItem | undefined; readonly damage?: string } {
    try {
      return { item: this.readItem(signal, id) };
    } catch (thrown) {
      if (!isDamagedTelemetry(thrown)) throw thrown;
      return { damage: thrown.where ?? `item ${id}` };
    }
  }

  private readItem(signal: QueuedSignal, id: number): StoredItem | undefined {
    switch (signal) {
      case 'traces':
      case 'logs':
        return this.reader.readItem(id);
      case 'metrics':
        return this.reader.readMetrics(id);
    }
  }
}

/** Whether it came with fields of its request that are sent on: members of JSON are not. */
function isSaidOfRequest({ resource }: StoredItem): boolean {
  return resource.format === 'protobuf' && (resource.unknown?.request.length ?? 0) > 0;
}
