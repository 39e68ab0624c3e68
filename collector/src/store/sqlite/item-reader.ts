import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { StoredGroup, StoredItem, StoredSpan } from '../store.ts';
import { FORMATS } from './schema.ts';

const ITEM_COLUMNS = `item.format, item.bytes, item.resource_part, item.resource_schema_url, item.scope_part,
  item.scope_schema_url, resource.bytes AS resource_bytes, resource.format AS resource_format,
  scope.bytes AS scope_bytes, scope.format AS scope_format`;
const ITEM_PARTS = `JOIN part AS resource ON resource.id = item.resource_part
  JOIN part AS scope ON scope.id = item.scope_part`;

type Row = Record<string, SQLOutputValue>;

/** Reads spans and log records back as they were received. */
export class ItemReader {
  private readonly traceOfSpan: StatementSync;
  private readonly spansOfTrace: StatementSync;
  private readonly logsOfTrace: StatementSync;
  private readonly spanById: StatementSync;
  private readonly logById: StatementSync;
  private readonly metricsById: StatementSync;

  constructor(database: DatabaseSync) {
    this.traceOfSpan = database.prepare(
      'SELECT trace_id FROM span WHERE tenant = ? AND span_id = ? ORDER BY id DESC LIMIT 1',
    );
    // The first row of each span is its best version; see the contract in store.ts.
    this.spansOfTrace = database.prepare(`
      WITH best AS (
        SELECT id, start_ns,
          row_number() OVER (PARTITION BY span_id ORDER BY is_ended DESC, fullness DESC, id) AS place,
          count(*) OVER (PARTITION BY span_id) AS versions,
          sum(is_ended = 1 AND fullness = 2) OVER (PARTITION BY span_id) AS full_versions
        FROM span WHERE tenant = ? AND trace_id = ?
      )
      SELECT item.span_id, best.versions, best.full_versions, ${ITEM_COLUMNS}
      FROM best JOIN span AS item ON item.id = best.id ${ITEM_PARTS}
      WHERE best.place = 1 ORDER BY best.start_ns, best.id`);
    this.logsOfTrace = database.prepare(`
      SELECT ${ITEM_COLUMNS} FROM log_record AS item ${ITEM_PARTS}
      WHERE item.tenant = ? AND item.trace_id = ? ORDER BY item.time_ns, item.id`);
    this.spanById = database.prepare(`SELECT ${ITEM_COLUMNS} FROM span AS item ${ITEM_PARTS} WHERE item.id = ?`);
    this.logById = database.prepare(`SELECT ${ITEM_COLUMNS} FROM log_record AS item ${ITEM_PARTS} WHERE item.id = ?`);
    this.metricsById = database.prepare('SELECT format, bytes FROM metrics_request WHERE id = ?');
  }

  findTrace(tenant: string, spanId: string): string | undefined {
    const row = this.traceOfSpan.get(tenant, Buffer.from(spanId, 'hex'));
    return row === undefined ? undefined : Buffer.from(toBytes(row.trace_id)).toString('hex');
  }

  readTrace(tenant: string, traceId: string): StoredSpan[] {
    return this.spansOfTrace.all(tenant, Buffer.from(traceId, 'hex')).map((row) => ({
      ...toItem(row),
      spanId: Buffer.from(toBytes(row.span_id)).toString('hex'),
      versions: Number(row.versions),
      isConflicting: Number(row.full_versions) > 1,
    }));
  }

  readLogs(tenant: string, traceId: string): StoredItem[] {
    return this.logsOfTrace.all(tenant, Buffer.from(traceId, 'hex')).map(toItem);
  }

  /** The span of a row; undefined when it is gone. */
  readSpan(id: number): StoredItem | undefined {
    const row = this.spanById.get(id);
    return row === undefined ? undefined : toItem(row);
  }

  readLog(id: number): StoredItem | undefined {
    const row = this.logById.get(id);
    return row === undefined ? undefined : toItem(row);
  }

  readMetrics(id: number): StoredItem | undefined {
    const row = this.metricsById.get(id);
    if (row === undefined) return undefined;
    const format = toFormat(row.format);
    const none: StoredGroup = { id: '', format, bytes: new Uint8Array(0), schemaUrl: '' };
    return { format, bytes: toBytes(row.bytes), resource: none, scope: none };
  }
}

function toItem(row: Row): StoredItem {
  return {
    format: toFormat(row.format),
    bytes: toBytes(row.bytes),
    resource: toGroup(row, 'resource'),
    scope: toGroup(row, 'scope'),
  };
}

function toGroup(row: Row, name: 'resource' | 'scope'): StoredGroup {
  const schemaUrl = String(row[`${name}_schema_url`]);
  return {
    id: `${row[`${name}_part`]} ${schemaUrl}`,
    format: toFormat(row[`${name}_format`]),
    bytes: toBytes(row[`${name}_bytes`]),
    schemaUrl,
  };
}

function toFormat(value: SQLOutputValue | undefined): StoredItem['format'] {
  return FORMATS[Number(value)] ?? 'protobuf';
}

function toBytes(value: SQLOutputValue | undefined): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(0);
}
