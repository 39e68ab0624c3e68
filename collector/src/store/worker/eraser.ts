import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { IndexState } from '../database/index-state.ts';
import { dueByAge, MAY_BE_SPECIAL, type RetentionTimes, timeOf } from '../index/run-ages.ts';
import { RunTables } from '../index/run-tables.ts';
import type { SpanIndex } from '../index/span-index.ts';
import { EXPIRE_ITEMS_PER_STEP, EXPIRE_TRACES_PER_STEP, EXPIRED_BYTES_STAY_MS } from '../limits.ts';
import { packOf } from '../pack/pack-file.ts';
import type { KeptRun, RetentionAges, TraceName } from '../store.ts';
import { isFullDisk } from '../store-error.ts';

/** Runs to give up for space. */
export interface GivenUp {
  readonly traces: readonly (readonly [tenant: string, traceId: string])[];
  /** What they have in packs. */
  readonly bytes: number;
  /** Those of them that somebody wanted to be kept, with why. */
  readonly kept: readonly KeptRun[];
}

/** What was taken out of the index. */
interface Erased {
  readonly items: number;
  /** The id of the last of them; 0 where there were none. */
  readonly lastItem: number;
}

type Row = Record<string, unknown>;

/** What else is asked of traces, and which come first. */
interface Choice {
  readonly condition: string;
  readonly values: readonly number[];
  readonly order: string;
}

/** In the index's state, since when something that was taken out without haste may be in packs and databases still. */
const EXPIRED_SINCE = 'expired_since';

/** Deletes traces from the index and marks where their bytes lie, so that settling leaves them out. */
export class Eraser {
  private readonly database: DatabaseSync;
  private readonly state: IndexState;
  private readonly spans: SpanIndex;
  private readonly findTrace: StatementSync;
  private readonly countBySignal: StatementSync;
  private readonly selectBlocks: StatementSync;
  private readonly idsInBlocks: StatementSync;
  private readonly deleteItems: StatementSync;
  private readonly hasQueued: StatementSync;
  private readonly deleteQueued: StatementSync;
  private readonly rowsOfRecords: StatementSync;
  private readonly deleteRecords: StatementSync;
  private readonly deleteQueuedRecords: StatementSync;
  private readonly hasItems: StatementSync;
  private readonly deleteBlocks: StatementSync;
  private readonly runs: RunTables;
  private readonly deleteTrace: StatementSync;
  private readonly reviseTrace: StatementSync;
  private readonly hasSpans: StatementSync;
  private readonly leaveLogs: StatementSync;
  private readonly flagPack: StatementSync;
  private readonly flagPackLater: StatementSync;
  private readonly flagLaterPacks: StatementSync;
  private readonly updateKept: StatementSync;
  private readonly blockBytes: StatementSync;
  private readonly countItems: StatementSync;
  private readonly selectTenant: StatementSync;

  constructor(database: DatabaseSync, state: IndexState, spans: SpanIndex) {
    this.database = database;
    this.state = state;
    this.spans = spans;
    this.findTrace = database.prepare('SELECT id, revision FROM trace WHERE tenant = ? AND trace_id = ?');
    this.countBySignal = database.prepare(
      'SELECT signal, count(*) AS items, max(id) AS last FROM item WHERE trace = ? AND id < ? GROUP BY signal',
    );
    this.selectBlocks = database.prepare('SELECT id FROM block WHERE trace = ?');
    this.idsInBlocks = database.prepare('SELECT id, first_item, last_item FROM block WHERE trace = ?');
    this.deleteItems = database.prepare('DELETE FROM item WHERE trace = ? AND id < ?');
    this.hasQueued = database.prepare('SELECT 1 FROM queue LIMIT 1');
    this.deleteQueued = database.prepare(
      'DELETE FROM queue WHERE item IN (SELECT id FROM item WHERE trace = ? AND id < ?)',
    );
    const isChosen = 'signal = 1 AND id IN (SELECT value FROM json_each(?))';
    this.rowsOfRecords = database.prepare(`SELECT trace, id FROM item WHERE ${isChosen} ORDER BY id`);
    this.deleteRecords = database.prepare(`DELETE FROM item WHERE ${isChosen}`);
    this.deleteQueuedRecords = database.prepare(
      `DELETE FROM queue WHERE item IN (SELECT id FROM item WHERE ${isChosen})`,
    );
    this.hasItems = database.prepare('SELECT 1 FROM item WHERE trace = ? LIMIT 1');
    this.deleteBlocks = database.prepare('DELETE FROM block WHERE trace = ?');
    this.runs = new RunTables(database);
    this.deleteTrace = database.prepare('DELETE FROM trace WHERE id = ?');
    this.reviseTrace = database.prepare(`
      UPDATE trace SET revision = revision + 1, summary = NULL, kept = NULL,
        start_ns = (SELECT min(time_ns) FROM item WHERE item.trace = trace.id AND signal = 0) WHERE id = ?`);
    this.hasSpans = database.prepare('SELECT 1 FROM item WHERE trace = ? AND signal = 0 LIMIT 1');
    this.leaveLogs = database.prepare(
      'UPDATE trace SET revision = 0, summary_revision = 0, is_special = 0, summary = NULL, kept = NULL WHERE id = ?',
    );
    this.flagPack = database.prepare('UPDATE pack SET is_erasing = 1 WHERE id = ?');
    this.flagPackLater = database.prepare('UPDATE pack SET is_erasing = 2 WHERE id = ? AND is_erasing = 0');
    this.flagLaterPacks = database.prepare('UPDATE pack SET is_erasing = 1 WHERE is_erasing = 2');
    this.updateKept = database.prepare('UPDATE trace SET kept = ? WHERE tenant = ? AND trace_id = ?');
    this.blockBytes = database.prepare('SELECT total(bytes) AS bytes FROM block WHERE trace = ?');
    this.countItems = database.prepare('SELECT count(*) AS items FROM item WHERE trace = ?');
    this.selectTenant = database.prepare('SELECT id, tenant, trace_id FROM trace WHERE tenant = ? LIMIT ?');
  }

  /**
   * Takes the items of a trace with ids below `beforeId` out of the index. Where it is urgent, the packs that hold them are
   * written again at once, else with all that have some of what went, after a while.
   */
  erase(tenant: string, traceId: string, beforeId: number, isUrgent: boolean): Erased {
    const row = this.findTrace.get(tenant, Buffer.from(traceId, 'hex'));
    if (row === undefined) return { items: 0, lastItem: 0 };
    const trace = Number(row.id);
    this.flagPacks(trace, isUrgent);
    const erased = this.eraseItems(trace, beforeId);
    this.dropTrace(trace, Number(row.revision));
    return erased;
  }

  /** Takes log records that name no trace out of the index. Other than a trace, which is named again by what comes later, an id is that of one record for good. */
  eraseRecords(ids: readonly number[], isUrgent: boolean): Erased {
    const chosen = JSON.stringify(ids);
    const rows = Map.groupBy(this.rowsOfRecords.all(chosen), ({ trace }) => Number(trace));
    for (const [row, records] of rows)
      this.flagPacksWith(
        row,
        records.map(({ id }) => Number(id)),
        isUrgent,
      );
    if (this.hasQueued.get() !== undefined) this.deleteQueuedRecords.run(chosen);
    const items = Number(this.deleteRecords.run(chosen).changes);
    this.state.add('logRecords', -items);
    for (const row of rows.keys()) this.dropTrace(row, 0);
    return { items, lastItem: items === 0 ? 0 : Math.max(...ids) };
  }

  /** Has the packs written again that have some of a row. */
  private flagPacks(trace: number, isUrgent: boolean): void {
    // Dead blocks count: their bytes are still on the disk.
    this.flag(this.selectBlocks.all(trace), isUrgent);
  }

  /** The same where the row stays, but for blocks that are of other items: with a record, all of its day would be written again. `ids` grow. */
  private flagPacksWith(trace: number, ids: readonly number[], isUrgent: boolean): void {
    const mayHold = ({ first_item: first, last_item: last }: Row): boolean =>
      first === null || last === null || holdsBetween(ids, Number(first), Number(last));
    this.flag(this.idsInBlocks.all(trace).filter(mayHold), isUrgent);
  }

  private flag(blocks: readonly Row[], isUrgent: boolean): void {
    const packs = new Set(blocks.map(({ id }) => packOf(Number(id))));
    const flag = isUrgent ? this.flagPack : this.flagPackLater;
    for (const pack of packs) flag.run(pack);
    if (!isUrgent && this.state.read(EXPIRED_SINCE) === 0)
      this.state.write(EXPIRED_SINCE, Math.max(1, this.state.read('expired_ms')));
  }

  /** Whether something that nobody waits for has been left for long enough: the packs that have some are now to be written anew. A clock that is set back does not put it off. */
  isExpiredDue(nowMs: number): boolean {
    const sinceMs = this.state.read(EXPIRED_SINCE);
    if (sinceMs === 0 || (nowMs >= sinceMs && nowMs - sinceMs < EXPIRED_BYTES_STAY_MS)) return false;
    this.flagLaterPacks.run();
    this.state.write(EXPIRED_SINCE, 0);
    return true;
  }

  /** Up to this segment of the log, none is written again once it has settled. */
  eraseLog(segment: number): void {
    this.state.write('erase_segment', Math.max(segment, this.state.read('erase_segment')));
  }

  /** All in one statement: for a run of hundreds of thousands of spans one each takes several times as long, during which nothing is received. */
  private eraseItems(trace: number, beforeId: number): Erased {
    let items = 0;
    let lastItem = 0;
    for (const row of this.countBySignal.all(trace, beforeId)) {
      items += Number(row.items);
      lastItem = Math.max(lastItem, Number(row.last));
      this.state.add(row.signal === 0 ? 'spans' : 'logRecords', -Number(row.items));
    }
    if (this.hasQueued.get() !== undefined) this.deleteQueued.run(trace, beforeId);
    this.spans.remove(trace, beforeId);
    this.deleteItems.run(trace, beforeId);
    return { items, lastItem };
  }

  private dropTrace(trace: number, revision: number): void {
    this.runs.remove(trace);
    if (this.hasSpans.get(trace) !== undefined) {
      // What came behind the deletion, found in a pack by an index that is made again, is all that the row may tell of.
      this.reviseTrace.run(trace);
      return;
    }
    if (this.hasItems.get(trace) !== undefined) {
      // There is nothing to summarise of log records alone: what waited for it would wait for good.
      this.leaveLogs.run(trace);
    } else {
      this.deleteBlocks.run(trace);
      this.deleteTrace.run(trace);
    }
    if (revision > 0) this.state.add('traces', -1);
  }

  /** Keeps a run beyond its time, or lets go of it where the reason is null. */
  keep(tenant: string, traceId: string, reason: string | null): void {
    this.updateKept.run(reason, tenant, Buffer.from(traceId, 'hex'));
  }

  /** Some traces whose time is over, oldest first. Notes the time by which that was so. */
  expired(nowMs: number, ages: RetentionAges, times: RetentionTimes): (readonly [string, string])[] {
    this.noteTime(nowMs);
    const { condition, beforeMs, specialBeforeMs } = dueByAge(ages, times);
    const rows = this.selectBefore(beforeMs, ages, { condition, values: [specialBeforeMs], order: 'received_ms' });
    return this.inOneStep(rows).map(toTrace);
  }

  /** Some traces that were received before a time. The first condition is the one that an index answers. */
  private selectBefore(timeMs: number, ages: RetentionAges, { condition, values, order }: Choice): Row[] {
    const earliestMs = Math.min(0, ...ages.corrections.map(({ byMs }) => byMs));
    const select = this.database.prepare(`
      SELECT id, tenant, trace_id, kept FROM trace
      WHERE received_ms < ? AND ${timeOf(ages)} < ? AND (${condition}) ORDER BY ${order} LIMIT ?`);
    return select.all(timeMs - earliestMs, timeMs, ...values, EXPIRE_TRACES_PER_STEP);
  }

  /** A full disk keeps nothing from being thinned out, which makes room: the next pass notes the time again. */
  private noteTime(nowMs: number): void {
    try {
      this.state.write('expired_ms', nowMs);
    } catch (thrown) {
      if (!isFullDisk(thrown)) throw thrown;
    }
  }

  /**
   * Some traces to give up for space: beyond the grace window, ordinary runs first, kept ones last, oldest first. No more of them than
   * have so many bytes in packs.
   */
  oldest(ages: RetentionAges, graceMs: number, bytes: number): GivenUp {
    const traces: (readonly [string, string])[] = [];
    const kept: KeptRun[] = [];
    let found = 0;
    const order = `kept IS NOT NULL, ${MAY_BE_SPECIAL}, ${timeOf(ages)}, received_ms`;
    const rows = this.selectBefore(ages.nowMs - graceMs, ages, { condition: 'true', values: [], order });
    for (const row of this.inOneStep(rows)) {
      if (found >= bytes) break;
      const [tenant, traceId] = toTrace(row);
      traces.push([tenant, traceId]);
      if (typeof row.kept === 'string') kept.push({ tenant, traceId, reason: row.kept });
      found += Number(this.blockBytes.get(Number(row.id))?.bytes);
    }
    return { traces, bytes: found, kept };
  }

  /** Some traces of a tenant. */
  ofTenant(tenant: string): (readonly [string, string])[] {
    return this.inOneStep(this.selectTenant.all(tenant, EXPIRE_TRACES_PER_STEP)).map(toTrace);
  }

  /** The first of these traces, at least one, that one step may delete. */
  firstOf(traces: readonly TraceName[]): readonly TraceName[] {
    const rows = traces.map(([tenant, traceId]) => this.findTrace.get(tenant, Buffer.from(traceId, 'hex')) ?? {});
    return traces.slice(0, this.inOneStep(rows).length);
  }

  /** The first of these rows, at least one: nothing is received while they are deleted. */
  private inOneStep(rows: readonly Row[]): readonly Row[] {
    let items = 0;
    const end = rows.findIndex(({ id }, position) => {
      items += id === undefined ? 0 : Number(this.countItems.get(Number(id))?.items);
      return position > 0 && items > EXPIRE_ITEMS_PER_STEP;
    });
    return end === -1 ? rows : rows.slice(0, end);
  }
}

/** Whether one of these numbers, which grow, is between two. */
function holdsBetween(numbers: readonly number[], first: number, last: number): boolean {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((numbers[middle] ?? 0) < first) from = middle + 1;
    else to = middle;
  }
  return (numbers[from] ?? Number.POSITIVE_INFINITY) <= last;
}

function toTrace(row: Row): readonly [string, string] {
  return [String(row.tenant), row.trace_id instanceof Uint8Array ? Buffer.from(row.trace_id).toString('hex') : ''];
}
