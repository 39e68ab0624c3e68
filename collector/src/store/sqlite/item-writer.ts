import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogSlice, SpanSlice } from '@reenact/otlp';
import { ATTR_REENACT_OUTCOME, ATTR_REENACT_SCHEMA, REENACT_OUTCOME_VALUE_PENDING } from '@reenact/semconv/reenact';
import { PAYLOAD_KEYS } from '../../payload-keys.ts';
import type { AppendResult, Destinations, MetricsRequest } from '../store.ts';
import { digestItem, Parts } from './parts.ts';
import { FORMAT_NUMBERS, SIGNAL_NUMBERS } from './schema.ts';

const INTEGER_MAX = 2n ** 63n - 1n;

/** A bigint as SQLite can hold it; times beyond the year 2262 sort together at the end. */
function clamp(value: bigint): bigint {
  return value > INTEGER_MAX ? INTEGER_MAX : value;
}

/** 2: a crossing with its payload; 1: a crossing whose payload was left out; 0: an ordinary span. */
function readFullness(span: SpanSlice): number {
  const present = span.attributesPresent([ATTR_REENACT_SCHEMA, ...PAYLOAD_KEYS]);
  if (!present.has(ATTR_REENACT_SCHEMA)) return 0;
  return present.size > 1 ? 2 : 1;
}

function isEnded(span: SpanSlice): boolean {
  return span.facts.endTimeUnixNano !== 0n && span.attribute(ATTR_REENACT_OUTCOME) !== REENACT_OUTCOME_VALUE_PENDING;
}

/** Writes items and their queue entries; every method runs inside a transaction. */
export class ItemWriter {
  readonly parts: Parts;
  private readonly insertSpan: StatementSync;
  private readonly findSpan: StatementSync;
  private readonly touchTrace: StatementSync;
  private readonly insertLog: StatementSync;
  private readonly insertMetrics: StatementSync;
  private readonly enqueue: StatementSync;

  constructor(database: DatabaseSync) {
    this.parts = new Parts(database);
    this.insertSpan = database.prepare(`
      INSERT INTO span (tenant, trace_id, span_id, digest, start_ns, is_ended, fullness, format, resource_part,
        resource_schema_url, scope_part, scope_schema_url, received_ms, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
    this.findSpan = database.prepare('SELECT 1 FROM span WHERE tenant = ? AND trace_id = ? AND span_id = ? LIMIT 1');
    this.touchTrace = database.prepare(`
      INSERT INTO trace (tenant, trace_id, revision, changed_by_span, start_ns) VALUES (?, ?, 1, ?, ?)
      ON CONFLICT DO UPDATE SET revision = revision + 1, changed_by_span = excluded.changed_by_span,
        start_ns = min(start_ns, excluded.start_ns)`);
    this.insertLog = database.prepare(`
      INSERT INTO log_record (tenant, trace_id, span_id, digest, time_ns, format, resource_part, resource_schema_url,
        scope_part, scope_schema_url, received_ms, bytes)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`);
    this.insertMetrics = database.prepare('INSERT INTO metrics_request (format, bytes) VALUES (?, ?)');
    this.enqueue = database.prepare('INSERT INTO queue (destination, signal, item) VALUES (?, ?, ?)');
  }

  writeSpans(tenant: string, spans: readonly SpanSlice[], destinations: Destinations): AppendResult {
    const result = { stored: 0, deduplicated: 0, versions: 0 };
    const touched = new Map<string, { row: number | bigint; start: bigint }>();
    for (const span of spans) {
      const traceId = Buffer.from(span.facts.traceId, 'hex');
      const isVersion = this.findSpan.get(tenant, traceId, Buffer.from(span.facts.spanId, 'hex')) !== undefined;
      const row = this.writeSpan(tenant, span, traceId);
      if (row === undefined) {
        result.deduplicated += 1;
        continue;
      }
      result.stored += 1;
      if (isVersion) result.versions += 1;
      for (const destination of destinations) this.enqueue.run(destination, SIGNAL_NUMBERS.traces, row);
      const start = clamp(span.facts.startTimeUnixNano);
      const earlier = touched.get(span.facts.traceId)?.start;
      const isEarliest = earlier === undefined || start < earlier;
      touched.set(span.facts.traceId, { row, start: isEarliest ? start : earlier });
    }
    for (const [traceId, { row, start }] of touched) {
      this.touchTrace.run(tenant, Buffer.from(traceId, 'hex'), row, start);
    }
    return result;
  }

  /** The new row, or undefined when the same content is there already. */
  private writeSpan(tenant: string, span: SpanSlice, traceId: Buffer): number | bigint | undefined {
    const resource = this.parts.store(span.format, span.resource);
    const scope = this.parts.store(span.format, span.scope);
    const { changes, lastInsertRowid } = this.insertSpan.run(
      tenant,
      traceId,
      Buffer.from(span.facts.spanId, 'hex'),
      digestItem(span, resource, scope),
      clamp(span.facts.startTimeUnixNano),
      isEnded(span) ? 1 : 0,
      readFullness(span),
      FORMAT_NUMBERS[span.format],
      resource.id,
      span.resource.schemaUrl,
      scope.id,
      span.scope.schemaUrl,
      Date.now(),
      span.bytes,
    );
    return changes === 0 ? undefined : lastInsertRowid;
  }

  writeLogs(tenant: string, records: readonly LogSlice[], destinations: Destinations): AppendResult {
    const result = { stored: 0, deduplicated: 0, versions: 0 };
    for (const record of records) {
      const resource = this.parts.store(record.format, record.resource);
      const scope = this.parts.store(record.format, record.scope);
      const { changes, lastInsertRowid } = this.insertLog.run(
        tenant,
        Buffer.from(record.facts.traceId, 'hex'),
        Buffer.from(record.facts.spanId, 'hex'),
        digestItem(record, resource, scope),
        clamp(record.facts.timeUnixNano),
        FORMAT_NUMBERS[record.format],
        resource.id,
        record.resource.schemaUrl,
        scope.id,
        record.scope.schemaUrl,
        Date.now(),
        record.bytes,
      );
      if (changes === 0) {
        result.deduplicated += 1;
        continue;
      }
      result.stored += 1;
      for (const destination of destinations) this.enqueue.run(destination, SIGNAL_NUMBERS.logs, lastInsertRowid);
    }
    return result;
  }

  writeMetrics(request: MetricsRequest, destinations: Destinations): void {
    if (destinations.length === 0) return;
    const { lastInsertRowid } = this.insertMetrics.run(FORMAT_NUMBERS[request.format], request.bytes);
    for (const destination of destinations) this.enqueue.run(destination, SIGNAL_NUMBERS.metrics, lastInsertRowid);
  }
}
