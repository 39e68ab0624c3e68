import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { RunQuery, RunSummary } from '@reenact/trace-model/collector-api';
import { ReenactError } from '@reenact/trace-model/reenact-error';
import type { RunPage, StaleTrace } from '../store.ts';

interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** Finds runs again by their summaries. */
export class RunIndex {
  private readonly database: DatabaseSync;
  private readonly selectStale: StatementSync;
  private readonly selectByUser: StatementSync;

  constructor(database: DatabaseSync) {
    this.database = database;
    this.selectStale = database.prepare(`
      SELECT tenant, trace_id, revision FROM trace WHERE summary_revision <> revision ORDER BY changed_by LIMIT ?`);
    this.selectByUser = database.prepare(`
      SELECT trace.trace_id FROM facet JOIN trace ON trace.id = facet.trace
      WHERE facet.tenant = ? AND facet.facet = 'user' AND facet.value = ?`);
  }

  stale(limit: number): StaleTrace[] {
    return this.selectStale.all(limit).map((row) => ({
      tenant: String(row.tenant),
      traceId: Buffer.from(row.trace_id as Uint8Array).toString('hex'),
      revision: Number(row.revision),
    }));
  }

  /** Ids of the summarised traces that carry a user's id. */
  tracesOfUser(tenant: string, user: string): string[] {
    return this.selectByUser.all(tenant, user).map((row) => Buffer.from(row.trace_id as Uint8Array).toString('hex'));
  }

  list(tenant: string, query: RunQuery, limit: number): RunPage {
    const conditions = readConditions(tenant, query);
    const rows = this.database
      .prepare(
        `SELECT summary, CAST(start_ns AS TEXT) AS start, hex(trace_id) AS id FROM trace
         WHERE ${conditions.map(({ sql }) => sql).join(' AND ')} ORDER BY start_ns DESC, trace_id DESC LIMIT ?`,
      )
      .all(...conditions.flatMap(({ values }) => values), limit + 1);
    const runs = rows.slice(0, limit).map((row) => JSON.parse(String(row.summary)) as RunSummary);
    const last = rows[limit - 1];
    if (rows.length <= limit || last === undefined) return { runs };
    return { runs, next: Buffer.from(`${last.start}.${last.id}`).toString('base64url') };
  }
}

function readConditions(tenant: string, query: RunQuery): Condition[] {
  const conditions: Condition[] = [
    { sql: 'summary IS NOT NULL', values: [] },
    { sql: 'tenant = ?', values: [tenant] },
  ];
  if (query.service !== undefined) conditions.push({ sql: 'service = ?', values: [query.service] });
  if (query.status !== undefined) conditions.push({ sql: 'status = ?', values: [query.status] });
  if (query.since !== undefined) conditions.push({ sql: 'start_ns >= ?', values: [toNanoseconds(query.since)] });
  if (query.until !== undefined) conditions.push({ sql: 'start_ns < ?', values: [toNanoseconds(query.until)] });
  if (query.agent !== undefined) conditions.push(hasFacet('agent', query.agent));
  if (query.session !== undefined) conditions.push(hasFacet('session', query.session));
  const { kind, name } = query;
  if (kind !== undefined && name !== undefined) conditions.push(hasFacet('crossing', `${kind}:${name}`));
  else if (kind !== undefined) conditions.push(hasFacet('kind', kind));
  else if (name !== undefined) conditions.push(hasFacet('name', name));
  if (query.cursor !== undefined) conditions.push(readCursor(query.cursor));
  return conditions;
}

function hasFacet(facet: string, value: string): Condition {
  const sql = 'EXISTS (SELECT 1 FROM facet WHERE facet.trace = trace.id AND facet.facet = ? AND facet.value = ?)';
  return { sql, values: [facet, value] };
}

function toNanoseconds(isoTime: string): bigint {
  return BigInt(Date.parse(isoTime)) * 1_000_000n;
}

function readCursor(cursor: string): Condition {
  const match = /^(\d{1,19})\.([0-9A-F]{32})$/.exec(Buffer.from(cursor, 'base64url').toString());
  const [, start, id] = match ?? [];
  if (start === undefined || id === undefined) {
    throw new ReenactError('bad-request', 'The cursor is not one this collector gave out.', {
      where: 'cursor',
      next: 'Leave cursor out, or pass nextCursor of the previous answer unchanged.',
    });
  }
  return { sql: '(start_ns, trace_id) < (?, ?)', values: [BigInt(start), Buffer.from(id, 'hex')] };
}
