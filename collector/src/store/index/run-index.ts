import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { RunFilters, RunQuery, RunSummary } from '@reenact/trace-model/collector-api';
import { IndexState } from '../database/index-state.ts';
import { RARE_FACET_RUNS_MAX, STALE_COUNTED_MAX } from '../limits.ts';
import { readKeptTexts } from '../search/searchable-texts.ts';
import type { CrossingText, NumberedRun, RunPage, StaleTrace, SummarisedTrace, UsageSums } from '../store.ts';
import { LIST_START, readTimeCursor, type TimeCursor, writeTimeCursor } from './page-cursor.ts';
import { parseRow } from './parse-row.ts';
import { type Condition, hasFacet, readConditions, toNanoseconds, type WantedFacet } from './run-conditions.ts';
import { userFacet } from './user-facet.ts';

/** Where rows are taken from, and under which conditions. */
interface Selection {
  readonly from: string;
  readonly where: string;
  readonly values: readonly SQLInputValue[];
  /** Whether the rows come from a few runs that were found already, and not in the order of a list. */
  readonly isNarrow: boolean;
}

/** A summary as stored, and what is known of its run beside it. */
const SUMMARY_COLUMNS = `trace.summary AS summary, trace.kept AS kept,
  (SELECT count(*) FROM facet WHERE facet.tenant = trace.tenant AND facet.facet = 'replayOf'
    AND facet.value = lower(hex(trace.trace_id))) AS replays,
  (SELECT count(*) FROM facet WHERE facet.tenant = trace.tenant AND facet.facet = 'forkOf'
    AND facet.value = lower(hex(trace.trace_id))) AS forks`;

/** Named where it is to be used: left to itself, SQLite reads all runs of a tenant to find those that wait for a summary. */
const STALE_INDEX = 'trace_stale_by_change';

/** The same in the order of a list. */
const STALE_BY_START_INDEX = 'trace_stale_by_start';

/** Finds runs again by their summaries. */
export class RunIndex {
  private readonly database: DatabaseSync;
  private readonly selectStale: StatementSync;
  private readonly selectNewestStale: StatementSync;
  private readonly selectFirstStaleOfList: StatementSync;
  private readonly countStaleTraces: StatementSync;
  private readonly selectByUser: StatementSync;
  private readonly countFacet: StatementSync;
  private readonly selectTexts: StatementSync | undefined;
  private readonly selectTextsOf: StatementSync | undefined;
  private readonly state: IndexState;
  private readonly selectRow: StatementSync;
  private readonly selectTextErasures: StatementSync;

  /** `hasTexts`: whether the search file is attached as `text`. */
  constructor(database: DatabaseSync, hasTexts = false) {
    this.database = database;
    this.selectStale = database.prepare(`
      SELECT tenant, trace_id, revision, changed_by FROM trace
      WHERE summary_revision <> revision AND changed_by > ? ORDER BY changed_by LIMIT ?`);
    this.selectNewestStale = database.prepare(`
      SELECT tenant, trace_id, revision, changed_by FROM trace INDEXED BY ${STALE_INDEX}
      WHERE summary_revision <> revision AND tenant = ? ORDER BY changed_by DESC LIMIT ?`);
    this.selectFirstStaleOfList = database.prepare(`
      SELECT CAST(start_ns AS TEXT) AS start, trace_id AS id FROM trace INDEXED BY ${STALE_BY_START_INDEX}
      WHERE summary_revision <> revision AND tenant = ? AND id <= ? AND (start_ns, trace_id) < (?, ?)
      ORDER BY start_ns DESC, trace_id DESC LIMIT 1`);
    this.countStaleTraces = database.prepare(`
      SELECT count(*) AS count FROM (
        SELECT 1 FROM trace INDEXED BY ${STALE_INDEX} WHERE summary_revision <> revision AND tenant = ? LIMIT ?)`);
    this.selectByUser = database.prepare(`
      SELECT trace.trace_id FROM facet JOIN trace ON trace.id = facet.trace
      WHERE facet.tenant = ? AND facet.facet = 'user' AND facet.value = ?`);
    this.countFacet = database.prepare(`
      SELECT count(*) AS count FROM (SELECT 1 FROM facet WHERE tenant = ? AND facet = ? AND value = ? LIMIT ?)`);
    const selectTexts = `
      SELECT texts FROM trace JOIN text.content ON content.trace = trace.id WHERE trace.tenant = ? AND trace.trace_id = ?`;
    this.selectTexts = hasTexts ? database.prepare(selectTexts) : undefined;
    // Of another revision, as of each run that grows, the texts themselves are not read.
    this.selectTextsOf = hasTexts ? database.prepare(`${selectTexts} AND content.revision = ?`) : undefined;
    this.selectRow = database.prepare('SELECT id FROM trace WHERE tenant = ? AND trace_id = ?');
    this.selectTextErasures = database.prepare('SELECT trace FROM text_erasure');
    this.state = new IndexState(database);
  }

  stale(limit: number, afterChange: number): StaleTrace[] {
    return this.selectStale.all(afterChange, limit).map(toStale);
  }

  newestStale(tenant: string, limit: number): StaleTrace[] {
    return this.selectNewestStale.all(tenant, limit).map(toStale);
  }

  countStale(tenant: string): number {
    return Number(this.countStaleTraces.get(tenant, STALE_COUNTED_MAX)?.count);
  }

  /** Ids of the summarised traces that carry a user's id. */
  tracesOfUser(tenant: string, user: string): string[] {
    return this.selectByUser
      .all(tenant, userFacet(user))
      .map((row) => Buffer.from(row.trace_id as Uint8Array).toString('hex'));
  }

  list(tenant: string, query: RunQuery, limit: number, settledTo?: number): RunPage {
    const after = query.cursor === undefined ? undefined : readTimeCursor(query.cursor, query);
    const waiting =
      settledTo === undefined ? undefined : this.firstStaleOfList(tenant, settledTo, query, after ?? LIST_START);
    const bounds = [
      ...(after === undefined ? [] : [isBehind(after)]),
      ...(waiting === undefined ? [] : [isBefore(waiting)]),
    ];
    const { from, where, values, isNarrow } = this.select(tenant, query, bounds);
    // The plus keeps SQLite from walking all runs in order where only a few were found.
    const order = isNarrow ? '+start_ns DESC, trace_id DESC' : 'start_ns DESC, trace_id DESC';
    const sql = `SELECT ${SUMMARY_COLUMNS}, CAST(start_ns AS TEXT) AS start, trace_id AS id
      FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ?`;
    const rows = this.database.prepare(sql).all(...values, limit + 1);
    const runs = rows.slice(0, limit).map(toSummary);
    if (rows.length <= limit && waiting === undefined) return { runs };
    const last = rows.slice(0, limit).at(-1);
    return { runs, next: writeTimeCursor(last === undefined ? (after ?? LIST_START) : toPlace(last), query) };
  }

  /** The first run of a span of time, behind a place, that was there by then and waits for a summary: for what it has got since, or for what it had. */
  private firstStaleOfList(
    tenant: string,
    settledTo: number,
    times: RunFilters,
    after: TimeCursor,
  ): TimeCursor | undefined {
    const { time, id } = behindTime(after, times.until);
    const row = this.selectFirstStaleOfList.get(tenant, settledTo, time, id);
    const first = row === undefined ? undefined : toPlace(row);
    const isEarlier = first !== undefined && times.since !== undefined && first.time < toNanoseconds(times.since);
    return isEarlier ? undefined : first;
  }

  /** In the order in which summaries were written: whoever asks again after the last number that was read misses none. */
  summarised(tenant: string, filters: RunFilters, after: number, limit: number): NumberedRun[] {
    const isLater = { sql: '+summary_number > ?', values: [after] };
    const { from, where, values, isNarrow } = this.select(tenant, filters, [isLater], 'numbers');
    const order = isNarrow ? '+summary_number' : 'summary_number';
    const sql = `SELECT ${SUMMARY_COLUMNS}, summary_number FROM ${from} WHERE ${where} ORDER BY ${order} LIMIT ?`;
    const rows = this.database.prepare(sql).all(...values, limit);
    return rows.map((row) => ({ number: Number(row.summary_number), summary: toSummary(row) }));
  }

  lastSummary(): number {
    return this.state.lastSummary();
  }

  /** Changes are numbered as items are. */
  lastChange(): number {
    return (this.state.readPosition()?.nextId ?? 1) - 1;
  }

  sumUsage(tenant: string, filters: RunFilters): UsageSums {
    const { from, where, values } = this.select(tenant, filters, []);
    const counted = this.database.prepare(`SELECT count(*) AS runs FROM ${from} WHERE ${where}`).get(...values);
    const rows = this.database
      .prepare(
        `SELECT provider, model, sum(calls) AS calls, sum(input_tokens) AS input, sum(output_tokens) AS output,
           sum(cache_read_tokens) AS cache_read, sum(cache_write_tokens) AS cache_write
         FROM ${from} JOIN usage ON usage.trace = trace.id WHERE ${where}
         GROUP BY provider, model ORDER BY input + output DESC, provider, model`,
      )
      .all(...values);
    return { runs: Number(counted?.runs), models: rows.map(toUsage) };
  }

  texts(tenant: string, traceId: string): CrossingText[] {
    const row = this.selectTexts?.get(tenant, Buffer.from(traceId, 'hex'));
    return row?.texts instanceof Uint8Array ? readKeptTexts(row.texts) : [];
  }

  /** Whether other texts are kept of the same revision of a run. */
  hasOtherTexts({ trace: { tenant, traceId, revision }, run: { texts } }: SummarisedTrace): boolean {
    const row = this.selectTextsOf?.get(tenant, Buffer.from(traceId, 'hex'), revision);
    if (row === undefined) return false;
    const known = row.texts instanceof Uint8Array ? row.texts : new Uint8Array(0);
    return !Buffer.from(known).equals(texts?.kept ?? new Uint8Array(0));
  }

  /** The row of a trace, by which its texts are kept; undefined where it is gone. */
  rowOf(tenant: string, traceId: string): number | undefined {
    const row = this.selectRow.get(tenant, Buffer.from(traceId, 'hex'));
    return row === undefined ? undefined : Number(row.id);
  }

  /** Rows of deleted traces whose texts are still to leave the search file. */
  textErasures(): number[] {
    return this.selectTextErasures.all().map(({ trace }) => Number(trace));
  }

  /** Text and rare facets lead to their runs directly; everything else is looked for along the list. */
  private select(
    tenant: string,
    filters: RunFilters,
    further: readonly Condition[],
    along: 'starts' | 'numbers' = 'starts',
  ): Selection {
    const { facets, match, others } = readConditions(tenant, filters);
    const rare = match === undefined ? this.rarest(tenant, facets) : undefined;
    const source = sourceOf(tenant, match, rare);
    const conditions = [
      ...source.conditions,
      ...others,
      ...facets.filter((facet) => facet !== rare).map(hasFacet),
      ...further.map(({ sql, values }) => ({ sql: isWalked(along, source) ? sql.replaceAll('+', '') : sql, values })),
    ];
    return {
      from: source.from,
      where: conditions.map(({ sql }) => sql).join(' AND '),
      values: conditions.flatMap(({ values }) => values),
      isNarrow: source.isNarrow,
    };
  }

  private rarest(tenant: string, facets: readonly WantedFacet[]): WantedFacet | undefined {
    const counted = facets.map((wanted) => {
      const row = this.countFacet.get(tenant, wanted.facet, wanted.value, RARE_FACET_RUNS_MAX + 1);
      return { wanted, count: Number(row?.count) };
    });
    const [first] = counted.toSorted((left, right) => left.count - right.count);
    return first !== undefined && first.count <= RARE_FACET_RUNS_MAX ? first.wanted : undefined;
  }
}

interface Source {
  readonly from: string;
  readonly conditions: readonly Condition[];
  readonly isNarrow: boolean;
}

function isWalked(along: 'starts' | 'numbers', { isNarrow }: Source): boolean {
  return along === 'numbers' && !isNarrow;
}

function sourceOf(tenant: string, match: string | undefined, rare: WantedFacet | undefined): Source {
  if (match !== undefined) {
    const from = 'text.search CROSS JOIN trace ON trace.id = search.rowid';
    return { from, conditions: [{ sql: 'search MATCH ?', values: [match] }], isNarrow: true };
  }
  if (rare === undefined) return { from: 'trace', conditions: [], isNarrow: false };
  const from = 'facet AS rare CROSS JOIN trace ON trace.id = rare.trace';
  const sql = 'rare.tenant = ? AND rare.facet = ? AND rare.value = ?';
  return { from, conditions: [{ sql, values: [tenant, rare.facet, rare.value] }], isNarrow: true };
}

function toStale(row: Record<string, unknown>): StaleTrace {
  return {
    tenant: String(row.tenant),
    traceId: Buffer.from(row.trace_id as Uint8Array).toString('hex'),
    revision: Number(row.revision),
    change: Number(row.changed_by),
  };
}

function toPlace(row: Record<string, unknown>): TimeCursor {
  return { time: BigInt(String(row.start)), id: row.id as Uint8Array };
}

/** The later of two places in a list: one, and where what starts before a time begins. */
function behindTime(after: TimeCursor, until: string | undefined): TimeCursor {
  const time = until === undefined ? LIST_START.time : toNanoseconds(until);
  return after.time < time || until === undefined ? after : { time, id: Buffer.alloc(16) };
}

function isBehind({ time, id }: TimeCursor): Condition {
  return { sql: '(start_ns, trace_id) < (?, ?)', values: [time, id] };
}

function isBefore({ time, id }: TimeCursor): Condition {
  return { sql: '(start_ns, trace_id) > (?, ?)', values: [time, id] };
}

function toSummary(row: Record<string, unknown>): RunSummary {
  const summary = parseRow(row.summary, 'the summary of a run') as RunSummary;
  const kept = row.kept === null ? summary.kept : String(row.kept);
  const replays = Number(row.replays);
  const forks = Number(row.forks);
  return {
    ...summary,
    ...(kept === undefined ? {} : { kept }),
    ...(replays === 0 ? {} : { replays }),
    ...(forks === 0 ? {} : { forks }),
  };
}

function toUsage(row: Record<string, unknown>): UsageSums['models'][number] {
  const cacheReadTokens = Number(row.cache_read);
  const cacheWriteTokens = Number(row.cache_write);
  return {
    ...(row.model === '' ? {} : { model: String(row.model) }),
    ...(row.provider === '' ? {} : { provider: String(row.provider) }),
    calls: Number(row.calls),
    inputTokens: Number(row.input),
    outputTokens: Number(row.output),
    ...(cacheReadTokens === 0 ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === 0 ? {} : { cacheWriteTokens }),
  };
}
