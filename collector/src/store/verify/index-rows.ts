import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { rowKeyOf } from '../index/row-key.ts';
import { RunSums } from '../index/run-sum.ts';
import type { BatchItem } from '../log/batch.ts';
import type { PlacedFrame } from '../log/segment-files.ts';
import type { BlockPlace } from '../pack/pack-file.ts';
import type { ControlBody } from '../worker/control-frame.ts';

/** A row that says otherwise than the files it was made of. */
export interface OtherRow {
  /** An item, a block, a frame, or the id of a trace. */
  readonly where: string;
  readonly what: string;
}

/** An item as it was found in the log or in a pack. */
export interface FoundItem {
  readonly tenant: string;
  readonly item: BatchItem;
  readonly digest: Uint8Array;
  /** Undefined where its frame is missing. */
  readonly receivedMs: number | undefined;
}

/** What the items of one trace say of its row. */
interface FoundTrace {
  /** Whether the item is there whose id the trace has: of others some were deleted, and what these said of the row stays. */
  hasFirst: boolean;
  /** The lowest id of what is there: of an index that was made again the row may have that of a later item, as its packs were read. */
  lowestId: number;
  startNs: bigint | undefined;
  receivedMs: number | undefined;
}

type Row = Record<string, unknown>;

const INDEX_DIGEST_BYTES = 16;

function isSame(bytes: unknown, hex: string): boolean {
  return bytes instanceof Uint8Array && Buffer.from(bytes).toString('hex') === hex;
}

function otherColumns(columns: Readonly<Record<string, boolean>>): string {
  return Object.keys(columns)
    .filter((column) => columns[column] !== true)
    .map((column) => `"${column}"`)
    .join(', ');
}

/**
 * Compares the rows of an index with what log, chain and packs say, in one look-up for each item. A single changed bit damages no page, so SQLite finds
 * nothing wrong with it.
 */
export class IndexRows {
  readonly others: OtherRow[] = [];
  private readonly database: DatabaseSync;
  private readonly selectItem: StatementSync;
  private readonly selectFrame: StatementSync;
  private readonly selectBlock: StatementSync;
  private readonly traces = new Map<number, FoundTrace>();
  /** By tenant and key of a trace, the last mark: why it is kept, null where it was let go of, and which items were there before it. */
  private readonly marks = new Map<string, { readonly reason: string | null; readonly beforeId: number }>();
  private readonly erasedTraces = new Set<string>();
  private frames = 0;
  private readonly blocks = new Set<number>();

  constructor(database: DatabaseSync) {
    this.database = database;
    this.selectItem = database.prepare(`
      SELECT item.trace, item.signal, item.span_id, item.digest, item.time_ns, item.rank, trace.tenant, trace.trace_id
      FROM item LEFT JOIN trace ON trace.id = item.trace WHERE item.id = ?`);
    this.selectItem.setReadBigInts(true);
    this.selectFrame = database.prepare('SELECT segment, position, bytes FROM frame WHERE first_id = ?');
    this.selectBlock = database.prepare(
      'SELECT trace, position, bytes, raw_bytes, first_item, last_item FROM block WHERE id = ?',
    );
  }

  /** An item that has no row was deleted; that no others are without one is a matter of counting. Gives its trace. */
  item({ tenant, item, digest, receivedMs }: FoundItem): number | undefined {
    const row = this.selectItem.get(item.id);
    if (row === undefined) return undefined;
    const other = otherColumns({
      signal: Number(row.signal) === item.signal,
      span_id: isSame(row.span_id, item.spanId),
      digest:
        row.digest instanceof Uint8Array && Buffer.compare(row.digest, digest.subarray(0, INDEX_DIGEST_BYTES)) === 0,
      time_ns: row.time_ns === item.timeNs,
      rank: Number(row.rank) === item.rank,
      tenant: row.tenant === tenant,
      trace_id: isTraceOf(row, item),
    });
    if (other !== '') this.add(`item ${item.id}`, `its row says otherwise than what was received (${other})`);
    const trace = Number(row.trace);
    this.noteTrace(trace, item, receivedMs);
    return trace;
  }

  /** Where frames lie in a segment, in order. */
  framesOf(segment: number): readonly number[] {
    const statement = 'SELECT position FROM frame WHERE segment = ? ORDER BY position';
    return this.database
      .prepare(statement)
      .all(segment)
      .map(({ position }) => Number(position));
  }

  frame({ frame, segment, offset }: PlacedFrame): void {
    this.frames += 1;
    const row = this.selectFrame.get(frame.firstId);
    const columns = {
      segment: row?.segment === segment,
      position: row?.position === offset,
      bytes: row?.bytes === frame.bytes,
    };
    const other = otherColumns(columns);
    if (other !== '') this.add(`frame from item ${frame.firstId}`, `its row says otherwise than the log (${other})`);
  }

  /** `traces`: those of its items, as the index has them. What has no row was deleted. An earlier version did not note the ids. */
  block(
    { block, offset, bytes, rawBytes }: BlockPlace,
    items: readonly BatchItem[],
    traces: ReadonlySet<number>,
  ): void {
    const row = this.selectBlock.get(block);
    if (row === undefined) return;
    this.blocks.add(block);
    const isNoted = row.first_item !== null || row.last_item !== null;
    const other = otherColumns({
      trace: traces.size === 0 || traces.has(Number(row.trace)),
      position: row.position === offset,
      bytes: row.bytes === bytes,
      raw_bytes: row.raw_bytes === rawBytes,
      first_item: !isNoted || row.first_item === items[0]?.id,
      last_item: !isNoted || row.last_item === items.at(-1)?.id,
    });
    if (other !== '') this.add(`block ${block}`, `its row says otherwise than the pack (${other})`);
  }

  /** A mark or a deletion, in the order of the chain. */
  control(body: ControlBody, beforeId: number): void {
    if (body.type === 'keep') this.marks.set(keyOf(body.tenant, body.traceId), { reason: body.reason, beforeId });
    else for (const [tenant, traceId] of body.traces) this.erasedTraces.add(keyOf(tenant, traceId));
  }

  /** What is left to compare once all has been read; `isWhole`: nothing of log, packs and chain is missing or damaged. */
  finish(isWhole: boolean, missingPacks: ReadonlySet<number>): void {
    this.compareSums();
    this.compareCounts(missingPacks);
    if (isWhole) this.compareTraces();
  }

  private noteTrace(trace: number, { id, signal, timeNs, traceId }: BatchItem, receivedMs: number | undefined): void {
    const found = this.traces.get(trace) ?? { hasFirst: false, lowestId: id, startNs: undefined, receivedMs: 0 };
    this.traces.set(trace, found);
    found.lowestId = Math.min(found.lowestId, id);
    if (id === trace) found.hasFirst = true;
    if (signal === 0 && (found.startNs === undefined || timeNs < found.startNs)) found.startNs = timeNs;
    // Rows of records without a trace go by the day, and an earlier version had one for all of them.
    if (receivedMs === undefined || traceId === '') found.receivedMs = undefined;
    else if (found.receivedMs !== undefined) found.receivedMs = Math.max(found.receivedMs, receivedMs);
  }

  private compareTraces(): void {
    const select = this.database.prepare(
      'SELECT id, tenant, trace_id, revision, start_ns, received_ms, kept FROM trace',
    );
    select.setReadBigInts(true);
    for (const row of select.iterate()) {
      const found = this.traces.get(Number(row.id));
      const traceId = row.trace_id instanceof Uint8Array ? Buffer.from(row.trace_id).toString('hex') : '';
      if (found === undefined) {
        this.add(`trace ${traceId}`, 'the index has its row and none of its items');
        continue;
      }
      const { hasFirst, lowestId, startNs, receivedMs } = found;
      const other = otherColumns({
        start_ns: !hasFirst || startNs === undefined || row.start_ns === startNs,
        received_ms: !hasFirst || receivedMs === undefined || Number(row.received_ms) === receivedMs,
        kept: this.isMarkOf(row, Math.min(Number(row.id), lowestId), keyOf(String(row.tenant), traceId)),
      });
      if (other !== '') this.add(`trace ${traceId}`, `its row says otherwise than what was received (${other})`);
    }
  }

  private isMarkOf({ kept }: Row, firstId: number, key: string): boolean {
    const mark = this.marks.get(key);
    // Whether a deletion took all of a run, and its mark with it, only the index knew.
    if (this.erasedTraces.has(key)) return kept === null || kept === mark?.reason;
    if (mark === undefined || mark.beforeId <= firstId) return kept === null;
    return kept === mark.reason;
  }

  private compareSums(): void {
    const sums = new RunSums(this.database);
    const select = this.database.prepare('SELECT id, trace_id, summary_sum FROM trace WHERE summary IS NOT NULL');
    for (const { id, trace_id, summary_sum } of select.iterate()) {
      if (sums.of(Number(id)) === summary_sum) continue;
      const traceId = trace_id instanceof Uint8Array ? Buffer.from(trace_id).toString('hex') : String(id);
      this.add(`trace ${traceId}`, 'what is listed of it is not what was written: its summary, or what it is found by');
    }
  }

  private compareCounts(missingPacks: ReadonlySet<number>): void {
    const told = [...missingPacks].join(', ');
    const counts = [
      [`SELECT count(*) - ${this.frames} AS count FROM frame`, 'rows of "frame" lead to nothing'],
      [
        `SELECT count(*) - ${this.blocks.size} AS count FROM block WHERE id >> 20 NOT IN (${told})`,
        'rows of "block" lead to nothing',
      ],
      [
        `SELECT count(*) AS count FROM block WHERE is_dead <> 0 AND EXISTS (
          SELECT 1 FROM item WHERE item.trace = block.trace AND item.block = block.id)`,
        'rows of "block" are noted as dead, and items are in them',
      ],
      [
        `SELECT count(*) AS count FROM frame
          WHERE segment <= coalesce((SELECT value FROM state WHERE name = 'settled_segment'), 0)`,
        'frames of the log are noted as settled, and are not',
      ],
      [
        `SELECT count(*) AS count FROM (SELECT id >> 20 AS pack FROM block EXCEPT SELECT id FROM pack)`,
        'packs have blocks and no row',
      ],
      [
        `SELECT count(*) AS count FROM trace WHERE summary_revision > revision`,
        'runs were summarised of more than has come',
      ],
      [
        `SELECT count(*) AS count FROM (
          SELECT tenant, input FROM observation GROUP BY tenant, input HAVING min(outcome) <> max(outcome)
          EXCEPT SELECT tenant, input FROM drifting)`,
        'inputs had more than one outcome and are not listed so',
      ],
      [
        `SELECT count(*) AS count FROM queue WHERE NOT EXISTS (SELECT 1 FROM item WHERE item.id = queue.item)
          AND NOT EXISTS (SELECT 1 FROM metrics_request WHERE metrics_request.id = queue.item)`,
        'entries of queues are of nothing that is there',
      ],
      ...TOTALS.map(([name, counted]) => [
        `SELECT abs(coalesce((SELECT value FROM state WHERE name = '${name}'), 0) - (${counted})) AS count`,
        `is what the total of "${name}" is off by`,
      ]),
    ];
    for (const [sql = '', what = ''] of counts) {
      const count = Number(this.database.prepare(sql).get()?.count);
      if (count !== 0) this.add('', `${count} ${what}`);
    }
  }

  private add(where: string, what: string): void {
    this.others.push({ where, what });
  }
}

/** Running totals, and what they count. */
const TOTALS = [
  ['spans', 'SELECT count(*) FROM item WHERE signal = 0'],
  ['logRecords', 'SELECT count(*) FROM item WHERE signal = 1'],
  ['traces', 'SELECT count(*) FROM trace WHERE revision > 0'],
] as const;

/** What names no trace goes by a day, of which an earlier version knew nothing. */
function isTraceOf({ trace_id }: Row, { traceId }: BatchItem): boolean {
  if (traceId !== '') return isSame(trace_id, traceId);
  return trace_id instanceof Uint8Array && trace_id.length === rowKeyOf('', 0).length / 2;
}

function keyOf(tenant: string, traceId: string): string {
  return `${traceId} ${tenant}`;
}
