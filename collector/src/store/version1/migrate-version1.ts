import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DataDirectory } from '../data-directory.ts';
import { FORMAT_VERSION_READ } from '../database/schema.ts';
import { type BatchItem, encodeBatch, type SignalNumber } from '../log/batch.ts';
import type { BatchGroup } from '../log/batch-group.ts';
import { FRAME_HEADER_BYTES } from '../log/frame.ts';
import type { TellOpening } from '../opening-step.ts';
import type { WriterLink } from '../worker/calls.ts';
import { MovedMetrics } from './moved-metrics.ts';

type Row = Record<string, unknown>;

/** Those with much in them, rows before what they name. */
const LARGE_TABLES = ['metrics_request', 'span', 'log_record', 'part', 'queue'];
const FORMER_TABLES = [...LARGE_TABLES, 'trace', 'facet'];
const ROWS_PER_FRAME_MAX = 256;
const FRAME_BYTES_MAX = 4 * 1024 * 1024;
const FORMATS = ['protobuf', 'json'] as const;

const ITEM_COLUMNS = `item.id, item.tenant, item.trace_id, item.span_id, item.format, item.bytes,
  item.resource_schema_url, item.scope_schema_url, item.resource_part, item.scope_part,
  resource.bytes AS resource_bytes, resource.format AS resource_format,
  scope.bytes AS scope_bytes, scope.format AS scope_format`;
const ITEM_PARTS = `JOIN part AS resource ON resource.id = item.resource_part
  JOIN part AS scope ON scope.id = item.scope_part`;

/** What is still to be sent on of each kind of item; its order is part of the group it is appended with. */
function destinationsOf(signal: SignalNumber): string {
  return `(SELECT json_group_array(destination) FROM queue WHERE queue.signal = ${signal} AND queue.item = item.id)`;
}

const SPANS = `SELECT ${ITEM_COLUMNS}, CAST(item.start_ns AS TEXT) AS time_ns,
  item.is_ended * 4 + item.fullness AS rank, ${destinationsOf(0)} AS destinations
  FROM span AS item ${ITEM_PARTS} ORDER BY item.id`;
const LOGS = `SELECT ${ITEM_COLUMNS}, CAST(item.time_ns AS TEXT) AS time_ns, 0 AS rank,
  ${destinationsOf(1)} AS destinations FROM log_record AS item ${ITEM_PARTS} ORDER BY item.id`;
const METRICS = `SELECT item.id, '' AS tenant, x'' AS trace_id, x'' AS span_id, item.format, item.bytes, '0' AS time_ns,
  0 AS rank, ${destinationsOf(2)} AS destinations FROM metrics_request AS item ORDER BY item.id`;

/**
 * Takes over a data directory of format version 1, one SQLite file (docs/adr/0005-collector-store-sqlite.md): every
 * span, log record and queue entry goes through the log like a new one, in the order of receipt, and only then the old
 * tables go. A migration that was cut off, as by `signal`, starts again; what came over already is recognised as a retry, metrics by their bytes.
 */
export async function migrateVersion1(
  directory: DataDirectory,
  writer: WriterLink,
  tell: TellOpening = () => undefined,
  signal?: AbortSignal,
): Promise<void> {
  const { database, version } = directory;
  if (version < FORMAT_VERSION_READ) {
    await takeOver(directory, writer, tell);
    // Before the first row goes: an earlier version would serve what is left of them as if it were all.
    database.prepare('INSERT INTO format_version VALUES (?)').run(FORMAT_VERSION_READ);
  }
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'part'").get() === undefined) return;
  for (const table of LARGE_TABLES) await emptyTable(database, table, tell, signal);
  database.exec('BEGIN EXCLUSIVE');
  for (const table of FORMER_TABLES) database.exec(`DROP TABLE ${table}`);
  database.exec('COMMIT; VACUUM');
}

async function takeOver({ database, path }: DataDirectory, writer: WriterLink, tell: TellOpening): Promise<void> {
  const { rowsUpTo, total } = countRows(database);
  const tellRow = (signal: SignalNumber) => (id: number) =>
    tell({ what: 'taking over the first format', done: rowsUpTo[signal] + id, total });
  // Where each item is sent on to is looked up in the queue, which may be as long as a destination was away.
  database.exec('CREATE INDEX IF NOT EXISTS queue_by_item_of_signal ON queue (item, signal)');
  await copyRows(database, writer, SPANS, 0, tellRow(0));
  await copyRows(database, writer, LOGS, 1, tellRow(1));
  const moved = new MovedMetrics(path);
  await copyRows(database, writer, METRICS, 2, tellRow(2), (row) => moved.take(row.bytes));
  await writer.call('tidy', { isFull: true });
}

/** Ids up to the last one of each table: counting rows would read all of them. */
function countRows(database: DatabaseSync) {
  const last = (table: string) => Number(database.prepare(`SELECT max(id) AS last FROM ${table}`).get()?.last ?? 0);
  const [spans, logs, metrics] = [last('span'), last('log_record'), last('metrics_request')];
  return { rowsUpTo: { 0: 0, 1: spans, 2: spans + logs }, total: spans + logs + metrics };
}

/**
 * Some rows at a time, so that whoever asks meanwhile is answered: dropping or vacuuming a full file would hold everything up. Cut off, the next start goes on.
 */
async function emptyTable(
  database: DatabaseSync,
  table: string,
  tell: TellOpening,
  signal: AbortSignal | undefined,
): Promise<void> {
  const total = Number(database.prepare(`SELECT max(id) AS last FROM ${table}`).get()?.last ?? 0);
  const remove = database.prepare(`DELETE FROM ${table} WHERE id <= ?`);
  for (let done = 0; done < total; ) {
    tell({ what: 'letting go of the first format', done, total });
    done = Math.min(done + ROWS_PER_FRAME_MAX, total);
    remove.run(done);
    await nextTurn();
    signal?.throwIfAborted();
  }
}

async function copyRows(
  database: DatabaseSync,
  writer: WriterLink,
  sql: string,
  signal: SignalNumber,
  onRow: (id: number) => void,
  isMoved: (row: Row) => boolean = () => false,
): Promise<void> {
  let frame = new MigrationFrame(signal);
  for (const row of database.prepare(sql).iterate()) {
    if (isMoved(row)) continue;
    if (!frame.accepts(row)) {
      await frame.send(writer);
      frame = new MigrationFrame(signal);
    }
    frame.add(row);
    onRow(Number(row.id));
  }
  await frame.send(writer);
}

/** Rows of one tenant and one list of destinations, which one frame can hold. */
class MigrationFrame {
  private readonly signal: SignalNumber;
  private readonly groups: BatchGroup[] = [];
  private readonly positions = new Map<string, number>();
  private readonly items: BatchItem[] = [];
  private tenant = '';
  private destinations = '[]';
  private bytes = 0;

  constructor(signal: SignalNumber) {
    this.signal = signal;
  }

  accepts(row: Row): boolean {
    if (this.items.length === 0) return true;
    const isAlike = row.tenant === this.tenant && row.destinations === this.destinations;
    return isAlike && this.items.length < ROWS_PER_FRAME_MAX && this.bytes < FRAME_BYTES_MAX;
  }

  add(row: Row): void {
    this.tenant = String(row.tenant);
    this.destinations = String(row.destinations);
    const bytes = toBytes(row.bytes);
    this.bytes += bytes.length;
    this.items.push({
      id: this.items.length,
      signal: this.signal,
      traceId: toBytes(row.trace_id).toString('hex'),
      spanId: toBytes(row.span_id).toString('hex'),
      timeNs: BigInt(String(row.time_ns)),
      rank: Number(row.rank),
      format: toFormat(row.format),
      resource: this.position(row, 'resource'),
      scope: this.position(row, 'scope'),
      bytes,
    });
  }

  async send(writer: WriterLink): Promise<void> {
    const { tenant, groups, items } = this;
    const destinations = JSON.parse(this.destinations) as string[];
    if (items.length === 0 || (this.signal === 2 && destinations.length === 0)) return;
    const frame = encodeBatch({ tenant, destinations, groups, items }, 0, FRAME_HEADER_BYTES);
    await writer.call('append', frame, [frame.buffer]);
  }

  private position(row: Row, name: 'resource' | 'scope'): number {
    const schemaUrl = String(row[`${name}_schema_url`] ?? '');
    const key = `${name} ${row[`${name}_part`] ?? ''} ${schemaUrl}`;
    const format = toFormat(row[`${name}_format`]);
    const group = { format, schemaUrl, bytes: toBytes(row[`${name}_bytes`]) };
    const position = this.positions.get(key) ?? this.groups.push(group) - 1;
    this.positions.set(key, position);
    return position;
  }
}

function toBytes(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.length) : Buffer.alloc(0);
}

function toFormat(value: unknown): BatchItem['format'] {
  return FORMATS[Number(value)] ?? 'protobuf';
}
