import type { SQLInputValue } from 'node:sqlite';
import type { RunFacet, RunFilters } from '@reenact/trace-model/collector-api';
import { matchExpression, readSought } from '../search/sought-phrases.ts';
import { ITEMS_OF_SPAN } from './span-index.ts';
import { userFacet } from './user-facet.ts';

/** One condition of a question about the table `trace`. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SQLInputValue[];
}

/** What a run must have one value of. */
export interface WantedFacet {
  readonly facet: RunFacet;
  readonly value: string;
}

/** A question about runs, taken apart. */
export interface RunConditions {
  readonly facets: readonly WantedFacet[];
  /** An expression of FTS5; undefined where no text is sought. */
  readonly match: string | undefined;
  readonly others: readonly Condition[];
}

/** Filters that ask for a facet of their own name. */
const FACET_FILTERS = [
  'service',
  'agent',
  'model',
  'provider',
  'operation',
  'tool',
  'errorType',
  'session',
  'conversation',
  'user',
  'tenant',
  'missing',
  'replay',
] as const satisfies readonly (RunFacet & keyof RunFilters)[];

/** Latest time that the index holds: what is later is kept as this. */
const TIME_MAX_NS = 2n ** 63n - 1n;

/** ISO 8601 as nanoseconds since 1970, within what the index holds: nothing is earlier than 1970 there, or later than 2262. */
export function toNanoseconds(isoTime: string): bigint {
  const timeNs = BigInt(Date.parse(isoTime)) * 1_000_000n;
  if (timeNs < 0n) return 0n;
  return timeNs > TIME_MAX_NS ? TIME_MAX_NS : timeNs;
}

/** A condition for runs of this trace that have this facet. */
export function hasFacet({ facet, value }: WantedFacet): Condition {
  const sql = 'EXISTS (SELECT 1 FROM facet WHERE facet.trace = trace.id AND facet.facet = ? AND facet.value = ?)';
  return { sql, values: [facet, value] };
}

function wantedFacets(filters: RunFilters): WantedFacet[] {
  const wanted: WantedFacet[] = FACET_FILTERS.flatMap((facet) => {
    const value = filters[facet];
    return value === undefined ? [] : [{ facet, value: facet === 'user' ? userFacet(value) : value }];
  });
  const { kind, name, replayOf, forkOf } = filters;
  if (kind !== undefined && name !== undefined) wanted.push({ facet: 'crossing', value: `${kind}:${name}` });
  else if (kind !== undefined) wanted.push({ facet: 'kind', value: kind });
  else if (name !== undefined) wanted.push({ facet: 'name', value: name });
  if (replayOf !== undefined) wanted.push({ facet: 'replayOf', value: replayOf.toLowerCase() });
  if (forkOf !== undefined) wanted.push({ facet: 'forkOf', value: forkOf.toLowerCase() });
  return wanted;
}

/** Replays are left out unless they are asked for, by word or by an id that only one of them has. */
function replaysCondition({ replays, trace, span, replay, replayOf }: RunFilters): Condition[] {
  const named = [trace, span, replay, replayOf].some((id) => id !== undefined);
  switch (replays ?? (named ? 'include' : 'exclude')) {
    case 'include':
      return [];
    case 'exclude':
      return [{ sql: 'is_replay = 0', values: [] }];
    case 'only':
      return [{ sql: 'is_replay = 1', values: [] }];
  }
}

function isNamedBy(facet: 'replayOf' | 'forkOf', isWanted: boolean): Condition {
  const named = `SELECT 1 FROM facet WHERE facet.tenant = trace.tenant AND facet.facet = ?
    AND facet.value = lower(hex(trace.trace_id))`;
  return { sql: `${isWanted ? '' : 'NOT '}EXISTS (${named})`, values: [facet] };
}

function otherConditions(tenant: string, filters: RunFilters): Condition[] {
  const { trace, span, since, until, status, replayability, kept, hasReplays, hasForks } = filters;
  const conditions: Condition[] = [
    { sql: 'trace.summary IS NOT NULL', values: [] },
    { sql: 'trace.tenant = ?', values: [tenant] },
    ...replaysCondition(filters),
  ];
  if (trace !== undefined) conditions.push({ sql: 'trace_id = ?', values: [Buffer.from(trace, 'hex')] });
  if (span !== undefined) {
    const sql = `trace.id IN (SELECT item.trace FROM (${ITEMS_OF_SPAN}) AS found CROSS JOIN item ON item.id = found.id)`;
    conditions.push({ sql, values: [Buffer.from(span, 'hex')] });
  }
  if (since !== undefined) conditions.push({ sql: 'start_ns >= ?', values: [toNanoseconds(since)] });
  if (until !== undefined) conditions.push({ sql: 'start_ns < ?', values: [toNanoseconds(until)] });
  if (status !== undefined) conditions.push({ sql: 'status = ?', values: [status] });
  if (replayability !== undefined) conditions.push({ sql: 'verdict = ?', values: [replayability] });
  if (kept !== undefined) {
    const isKept = "(kept IS NOT NULL OR json_extract(summary, '$.kept') IS NOT NULL)";
    conditions.push({ sql: kept ? isKept : `NOT ${isKept}`, values: [] });
  }
  if (hasReplays !== undefined) conditions.push(isNamedBy('replayOf', hasReplays));
  if (hasForks !== undefined) conditions.push(isNamedBy('forkOf', hasForks));
  return conditions;
}

/** Takes filters apart. Throws ReenactError `bad-request` where text is sought that has no word. */
export function readConditions(tenant: string, filters: RunFilters): RunConditions {
  const { text } = filters;
  return {
    facets: wantedFacets(filters),
    match: text === undefined ? undefined : matchExpression(readSought(text)),
    others: otherConditions(tenant, filters),
  };
}
