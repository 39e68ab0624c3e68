import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import type { Batch, BatchItem } from '../log/batch.ts';
import { identifyGroup } from '../log/batch-group.ts';
import { ItemBytes } from '../log/item-bytes.ts';
import type { BatchSource, OpenBatch } from '../pack/batch-source.ts';
import type { ComparedSpan, SpanReference, StoredGroup, StoredItem, StoredSpan } from '../store.ts';
import { ITEMS_OF_SPAN } from './span-index.ts';
import { tellTheSame } from './tell-the-same.ts';

/** Rank of a version that is ended and full. */
const FULL_ENDED = 6;

/** The same of one that is no crossing, as another SDK sends them: it has no payload that could be missing. */
const ORDINARY_ENDED = 4;

/** A row of a statement that gives the spans of a trace; `equals`: how many versions are to say the same. */
type SpanRow = readonly [id: number, spanId: Uint8Array, block: number, versions: number, equals: number];

/**
 * So many times the bytes of spans there can be with their resources in one piece. In start order the spans of several services take turns: cut
 * for the sake of resources, most pieces would bring the same ones again.
 */
const AROUND_FACTOR = 16;

/** A log record, and the block that it is in; 0 for the log. */
export interface LogPlace {
  readonly id: number;
  readonly block: number;
}

/** What a trace holds, without any of it. */
export interface ListedSpans {
  /** The first spans in start order. */
  readonly references: readonly SpanReference[];
  /** How many there are. */
  readonly spanCount: number;
  readonly conflictingSpans: number;
}

/** Reads spans and log records back as they were received. */
export class ItemReader {
  private readonly source: BatchSource;
  private readonly traceOfSpan: StatementSync;
  private readonly isWithVersions: StatementSync;
  private readonly spansOfTrace: StatementSync;
  private readonly bestVersions: StatementSync;
  private readonly logsOfTrace: StatementSync;
  private readonly equalVersions: StatementSync;
  private readonly itemById: StatementSync;
  private readonly rowsOfLogs: StatementSync;
  private readonly placesOfLogs: StatementSync;
  private readonly metricsById: StatementSync;

  constructor(database: DatabaseSync, source: BatchSource) {
    this.source = source;
    this.traceOfSpan = database.prepare(`
      SELECT trace.trace_id FROM (${ITEMS_OF_SPAN}) AS found CROSS JOIN item ON item.id = found.id
        CROSS JOIN trace ON trace.id = item.trace
      WHERE trace.tenant = ? ORDER BY item.id DESC LIMIT 1`);
    this.isWithVersions = database.prepare(`
      SELECT count(*) > count(DISTINCT span_id) FROM item
      WHERE trace = (SELECT id FROM trace WHERE tenant = ? AND trace_id = ?) AND signal = 0`);
    this.spansOfTrace = database.prepare(`
      SELECT id, span_id, block, 1, 0 FROM item
      WHERE trace = (SELECT id FROM trace WHERE tenant = ? AND trace_id = ?) AND signal = 0 ORDER BY time_ns, id`);
    // The first row of each span is its best version; see the contract in store.ts.
    this.bestVersions = database.prepare(`
      WITH version AS (
        SELECT id, span_id, time_ns, block, rank,
          row_number() OVER (PARTITION BY span_id ORDER BY rank DESC, id) AS place,
          count(*) OVER (PARTITION BY span_id) AS versions,
          sum(rank = ${FULL_ENDED}) OVER (PARTITION BY span_id) AS full_versions,
          sum(rank = ${ORDINARY_ENDED}) OVER (PARTITION BY span_id) AS ordinary_versions
        FROM item WHERE trace = (SELECT id FROM trace WHERE tenant = ? AND trace_id = ?) AND signal = 0
      )
      SELECT id, span_id, block, versions,
        CASE rank WHEN ${FULL_ENDED} THEN full_versions WHEN ${ORDINARY_ENDED} THEN ordinary_versions ELSE 0 END
      FROM version WHERE place = 1 ORDER BY time_ns, id`);
    this.logsOfTrace = database.prepare(`
      SELECT id, block FROM item
      WHERE trace = (SELECT id FROM trace WHERE tenant = ? AND trace_id = ?) AND signal = 1 ORDER BY time_ns, id`);
    for (const statement of [this.isWithVersions, this.spansOfTrace, this.bestVersions])
      statement.setReturnArrays(true);
    this.equalVersions = database.prepare(`
      SELECT other.id, other.block FROM item JOIN item AS other
      ON other.trace = item.trace AND other.signal = 0 AND other.span_id = item.span_id
      WHERE item.id = ? AND other.rank = item.rank ORDER BY other.id`);
    this.rowsOfLogs = database.prepare(`
      SELECT trace_id FROM trace
      WHERE tenant = ? AND EXISTS (SELECT 1 FROM item WHERE item.trace = trace.id AND item.signal = 1)`);
    this.placesOfLogs = database.prepare(`
      SELECT id, block FROM item WHERE trace = (SELECT id FROM trace WHERE tenant = ? AND trace_id = ?) AND signal = 1`);
    this.itemById = database.prepare('SELECT id, block FROM item WHERE id = ?');
    this.metricsById = database.prepare('SELECT format, bytes FROM metrics_request WHERE id = ?');
  }

  findTrace(tenant: string, spanId: string): string | undefined {
    const row = this.traceOfSpan.get(Buffer.from(spanId, 'hex'), tenant);
    return row === undefined ? undefined : toHex(row.trace_id);
  }

  readTrace(tenant: string, traceId: string): ComparedSpan[] {
    return Array.from(this.rowsOf(tenant, traceId), (row) => this.toCompared(this.open(row[0], row[2]), row));
  }

  /** The same up to so many bytes; undefined where a trace has more. */
  readSmallTrace(tenant: string, traceId: string, bytesMax: number): ComparedSpan[] | undefined {
    const spans: ComparedSpan[] = [];
    const bytes = new ItemBytes();
    for (const row of this.rowsOf(tenant, traceId)) {
      const item = this.open(row[0], row[2]);
      if (bytes.add(item) > bytesMax) return undefined;
      spans.push(this.toCompared(item, row));
    }
    return spans;
  }

  /** What a trace holds; no more than so many of its spans are named. */
  listFirstSpans(tenant: string, traceId: string, limit: number): ListedSpans {
    const references: SpanReference[] = [];
    let spanCount = 0;
    let conflictingSpans = 0;
    for (const row of this.rowsOf(tenant, traceId)) {
      spanCount += 1;
      if (this.isConflicting(row)) conflictingSpans += 1;
      if (references.length < limit) references.push(toReference(row));
    }
    return { references, spanCount, conflictingSpans };
  }

  /** The ids of the spans of a trace, which the index alone tells. */
  spanIds(tenant: string, traceId: string): string[] {
    return Array.from(this.rowsOf(tenant, traceId), ([, spanId]) => toHex(spanId));
  }

  listSpans(tenant: string, traceId: string): SpanReference[] {
    return Array.from(this.rowsOf(tenant, traceId), toReference);
  }

  /** Where they lie is looked up only now: they may have settled since they were listed. */
  readSpans(references: readonly SpanReference[], bytesMax: number): StoredSpan[] {
    const spans: StoredSpan[] = [];
    let itemBytes = 0;
    const bytes = new ItemBytes();
    for (const reference of references) {
      const item = this.readItem(reference.id);
      if (item === undefined) throw deletedMeanwhile(reference);
      const isFull = itemBytes + item.bytes.length > bytesMax || bytes.total > bytesMax * AROUND_FACTOR;
      if (spans.length > 0 && isFull && bytes.isFullBefore(item, bytesMax)) break;
      spans.push(toStoredSpan(item, reference));
      bytes.add(item);
      itemBytes += item.bytes.length;
    }
    return spans;
  }

  readLogs(tenant: string, traceId: string): StoredItem[] {
    const rows = this.logsOfTrace.all(tenant, Buffer.from(traceId, 'hex'));
    return rows.map((row) => this.open(Number(row.id), Number(row.block)));
  }

  /** The same up to so many bytes; undefined where a trace has more. */
  readFewLogs(tenant: string, traceId: string, bytesMax: number): StoredItem[] | undefined {
    const records: StoredItem[] = [];
    const bytes = new ItemBytes();
    for (const row of this.logsOfTrace.iterate(tenant, Buffer.from(traceId, 'hex'))) {
      const record = this.open(Number(row.id), Number(row.block));
      if (bytes.add(record) > bytesMax) return undefined;
      records.push(record);
    }
    return records;
  }

  /** What the rows of a tenant go by that have log records (`rowKeyOf`). */
  rowsWithLogs(tenant: string): string[] {
    return this.rowsOfLogs.all(tenant).map((row) => Buffer.from(row.trace_id as Uint8Array).toString('hex'));
  }

  /** Where the log records of a row are. */
  logPlaces(tenant: string, rowKey: string): LogPlace[] {
    const rows = this.placesOfLogs.all(tenant, Buffer.from(rowKey, 'hex'));
    return rows.map(({ id, block }) => ({ id: Number(id), block: Number(block) }));
  }

  /** The span or log record of an id; undefined when it was deleted. */
  readItem(id: number): StoredItem | undefined {
    const row = this.itemById.get(id);
    return row === undefined ? undefined : this.open(id, Number(row.block));
  }

  readMetrics(id: number): StoredItem | undefined {
    const row = this.metricsById.get(id);
    if (row === undefined) return undefined;
    const format = row.format === 1 ? 'json' : 'protobuf';
    const none: StoredGroup = { id: '', format, bytes: new Uint8Array(0), schemaUrl: '' };
    return { format, bytes: row.bytes instanceof Uint8Array ? row.bytes : none.bytes, resource: none, scope: none };
  }

  /**
   * The best version of each span in start order. Sorting versions takes twice as long as reading rows, and hardly any trace has some. To be
   * read within one snapshot of the index.
   */
  private rowsOf(tenant: string, traceId: string): Iterable<SpanRow> {
    const name = [tenant, Buffer.from(traceId, 'hex')] as const;
    const [isWithVersions] = this.isWithVersions.get(...name) as unknown as readonly [number];
    const statement = isWithVersions === 1 ? this.bestVersions : this.spansOfTrace;
    return statement.iterate(...name) as unknown as Iterable<SpanRow>;
  }

  private toCompared(item: StoredItem, row: SpanRow): ComparedSpan {
    return { ...toStoredSpan(item, toReference(row)), isConflicting: this.isConflicting(row) };
  }

  private isConflicting([id, , , , equals]: SpanRow): boolean {
    return equals > 1 && !tellTheSame(this.versionsOf(id));
  }

  /** The versions of a span that are as an item of it is: ended or not, with or without their payloads. */
  private *versionsOf(id: number): Generator<StoredItem> {
    for (const row of this.equalVersions.all(id)) yield this.open(Number(row.id), Number(row.block));
  }

  private open(id: number, block: number): StoredItem {
    const opened: OpenBatch = this.source.open(id, block);
    const item = opened.byId.get(id);
    if (item !== undefined) return toStoredItem(opened.batch, item);
    throw new ReenactError('store-failed', 'The index names an item that is not where it says.', {
      where: `item ${id}`,
      next: 'Run `reenact store verify --rebuild-index --data <directory>`.',
    });
  }
}

function toStoredItem({ groups }: Batch, item: BatchItem): StoredItem {
  const group = (position: number): StoredGroup => {
    const found = groups[position];
    if (found === undefined) return { id: '', format: item.format, bytes: new Uint8Array(0), schemaUrl: '' };
    return { id: identifyGroup(found), ...found };
  };
  const { format, bytes } = item;
  return { format, bytes, resource: group(item.resource), scope: group(item.scope) };
}

function toReference([id, spanId, , versions]: SpanRow): SpanReference {
  return { id, spanId: toHex(spanId), versions };
}

function toStoredSpan(item: StoredItem, { spanId, versions }: SpanReference): StoredSpan {
  return { ...item, spanId, versions };
}

function deletedMeanwhile({ spanId }: SpanReference): ReenactError {
  return new ReenactError('not-found', `The span ${spanId} was deleted while its trace was read.`, { where: spanId });
}

function toHex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}
