import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  CIRCUMSTANCES,
  type Circumstance,
  type Drift,
  type DriftAnswer,
  type DriftQuery,
} from '@reenact/trace-model/collector-api';
import { readTimeCursor, writeTimeCursor } from './page-cursor.ts';
import { parseRow } from './parse-row.ts';
import { toNanoseconds } from './run-conditions.ts';

type Outcome = Drift['outcomes'][number];

interface Seen {
  readonly crossings: number;
  readonly first: bigint;
  readonly last: bigint;
}

/** What was observed of one outcome. */
class OutcomeCount {
  readonly by = new Map<Circumstance, Map<string, number>>(CIRCUMSTANCES.map((name) => [name, new Map()]));
  seen: Seen = { crossings: 0, first: 2n ** 63n, last: -1n };
  example = { traceId: '', spanId: '' };
  readonly outcome: string;

  constructor(outcome: string) {
    this.outcome = outcome;
  }

  add(row: Record<string, unknown>): void {
    const crossings = Number(row.crossings);
    const [first, last] = [BigInt(String(row.first)), BigInt(String(row.last))];
    if (last > this.seen.last) this.example = { traceId: toHex(row.trace_id), spanId: toHex(row.span_id) };
    this.seen = {
      crossings: this.seen.crossings + crossings,
      first: first < this.seen.first ? first : this.seen.first,
      last: last > this.seen.last ? last : this.seen.last,
    };
    const circumstances = parseRow(row.circumstances, 'what a crossing was made in') as Partial<
      Record<Circumstance, string>
    >;
    for (const [name, counts] of this.by) {
      const value = circumstances[name] ?? '';
      counts.set(value, (counts.get(value) ?? 0) + crossings);
    }
  }

  toOutcome(): Outcome {
    const by = Object.fromEntries(
      [...this.by].map(([name, counts]) => [name, [...counts].map(([value, crossings]) => ({ value, crossings }))]),
    ) as Outcome['by'];
    return { outcome: this.outcome, ...toTimes(this.seen), ...this.example, by };
  }
}

/** Finds equal inputs that had different outcomes. */
export class DriftIndex {
  private readonly database: DatabaseSync;
  private readonly selectOutcomes: StatementSync;

  constructor(database: DatabaseSync) {
    this.database = database;
    this.selectOutcomes = database.prepare(`
      SELECT outcome, circumstances, crossings, CAST(first AS TEXT) AS first, CAST(last AS TEXT) AS last, span_id, trace_id
      FROM (
        SELECT outcome, circumstances, count(*) OVER alike AS crossings, min(observation.start_ns) OVER alike AS first,
          max(observation.start_ns) OVER alike AS last, span_id, trace_id, row_number() OVER newest AS place
        FROM observation JOIN trace ON trace.id = observation.trace
        WHERE observation.tenant = ? AND input = ? AND observation.start_ns >= ? AND observation.start_ns < ?
          AND (? = '' OR observation.service = ?)
        WINDOW alike AS (PARTITION BY outcome, circumstances),
          newest AS (PARTITION BY outcome, circumstances ORDER BY observation.start_ns DESC, trace_id, span_id)
      ) WHERE place = 1 ORDER BY crossings DESC, outcome, circumstances`);
  }

  list(tenant: string, query: DriftQuery, limit: number): DriftAnswer {
    const rows = this.inputs(tenant, query, limit + 1);
    const drifts = rows.slice(0, limit).map((row) => this.readDrift(tenant, query, row));
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { drifts };
    const nextCursor = writeTimeCursor({ time: BigInt(String(last.last)), id: last.input as Uint8Array }, query);
    return { drifts, nextCursor };
  }

  private inputs(tenant: string, query: DriftQuery, limit: number): Record<string, unknown>[] {
    const conditions = ['drifting.tenant = ?'];
    const values: SQLInputValue[] = [tenant];
    const add = (sql: string, value: SQLInputValue | undefined) => {
      if (value === undefined) return;
      conditions.push(sql);
      values.push(value);
    };
    add('start_ns >= ?', query.since === undefined ? undefined : toNanoseconds(query.since));
    add('start_ns < ?', query.until === undefined ? undefined : toNanoseconds(query.until));
    add('kind = ?', query.kind);
    add('name = ?', query.name);
    add('service = ?', query.service);
    const after = query.cursor === undefined ? undefined : readTimeCursor(query.cursor, query);
    const having = after === undefined ? '' : 'AND (max(start_ns), drifting.input) < (?, ?)';
    if (after !== undefined) values.push(after.time, after.id);
    const sql = `SELECT drifting.input AS input, kind, name, count(*) AS crossings,
        CAST(min(start_ns) AS TEXT) AS first, CAST(max(start_ns) AS TEXT) AS last
      FROM drifting CROSS JOIN observation
        ON observation.tenant = drifting.tenant AND observation.input = drifting.input
      WHERE ${conditions.join(' AND ')} GROUP BY drifting.input
      HAVING count(DISTINCT outcome) > 1 ${having} ORDER BY max(start_ns) DESC, drifting.input DESC LIMIT ?`;
    return this.database.prepare(sql).all(...values, limit);
  }

  private readDrift(tenant: string, query: DriftQuery, row: Record<string, unknown>): Drift {
    const since = query.since === undefined ? 0n : toNanoseconds(query.since);
    const until = query.until === undefined ? 2n ** 63n - 1n : toNanoseconds(query.until);
    const service = query.service ?? '';
    const counts = new Map<string, OutcomeCount>();
    const input = row.input as Uint8Array;
    for (const found of this.selectOutcomes.all(tenant, input, since, until, service, service)) {
      const digest = toHex(found.outcome);
      const count = counts.get(digest) ?? new OutcomeCount(digest);
      counts.set(digest, count);
      count.add(found);
    }
    const outcomes = [...counts.values()].map((count) => count.toOutcome());
    const seen = { crossings: Number(row.crossings), first: BigInt(String(row.first)), last: BigInt(String(row.last)) };
    return {
      kind: String(row.kind),
      name: String(row.name),
      input: toHex(input),
      ...toTimes(seen),
      outcomes: outcomes.toSorted((left, right) => right.crossings - left.crossings),
      explainedBy: CIRCUMSTANCES.filter((name) => explains(name, outcomes)),
    };
  }
}

/** Whether no value of a circumstance had two outcomes, and all of its values are known. */
function explains(name: Circumstance, outcomes: readonly Outcome[]): boolean {
  const values = outcomes.flatMap(({ by }) => by[name].map(({ value }) => value));
  return !values.includes('') && new Set(values).size === values.length;
}

function toTimes({ crossings, first, last }: Seen): { crossings: number; firstAt: string; lastAt: string } {
  const iso = (time: bigint) => new Date(Number(time / 1_000_000n)).toISOString();
  return { crossings, firstAt: iso(first), lastAt: iso(last) };
}

function toHex(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
}
