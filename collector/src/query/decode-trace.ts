import {
  decodeLogRecord,
  decodeLogRecordJson,
  decodeResource,
  decodeResourceJson,
  decodeScope,
  decodeScopeJson,
  decodeSpan,
  decodeSpanJson,
  type InstrumentationScope,
  type KeyValue,
  type LogRecord,
  type LogsData,
  type Resource,
  type Span,
  type TracesData,
} from '@reenact/otlp';
import { ATTR_REENACT_RAW } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';
import type { StoredGroup, StoredItem } from '../store/store.ts';

interface ScopeGroup<Item> {
  readonly scope: StoredGroup;
  readonly items: Item[];
}

interface ResourceGroup<Item> {
  readonly resource: StoredGroup;
  readonly scopes: Map<string, ScopeGroup<Item>>;
}

type Result<Value> =
  | { readonly ok: true; readonly value: Value; readonly isLossless?: boolean }
  | { readonly ok: false; readonly problem: { readonly message: string } };

interface Attributed {
  readonly attributes?: readonly KeyValue[];
}

/** Stored spans as one OTLP/JSON document, grouped as they were sent. Throws ReenactError `recording-damaged`. */
export function decodeTrace(spans: readonly StoredItem[]): TracesData {
  const resourceSpans = groupItems(spans, readSpan).map(({ resource, scopes }) => ({
    ...readResource(resource),
    scopeSpans: [...scopes.values()].map(({ scope, items }) => ({ ...readScope(scope), spans: items })),
  }));
  return { resourceSpans };
}

/** Stored log records as one OTLP/JSON document. */
export function decodeLogs(records: readonly StoredItem[]): LogsData {
  const resourceLogs = groupItems(records, readLogRecord).map(({ resource, scopes }) => ({
    ...readResource(resource),
    scopeLogs: [...scopes.values()].map(({ scope, items }) => ({ ...readScope(scope), logRecords: items })),
  }));
  return { resourceLogs };
}

function groupItems<Item>(stored: readonly StoredItem[], read: (item: StoredItem) => Item): ResourceGroup<Item>[] {
  const groups = new Map<string, ResourceGroup<Item>>();
  for (const item of stored) {
    const group = groups.get(item.resource.id) ?? { resource: item.resource, scopes: new Map() };
    groups.set(item.resource.id, group);
    const scope = group.scopes.get(item.scope.id) ?? { scope: item.scope, items: [] };
    group.scopes.set(item.scope.id, scope);
    scope.items.push(read(item));
  }
  return [...groups.values()];
}

function readSpan({ format, bytes }: StoredItem): Span {
  return format === 'json' ? unwrap(decodeSpanJson(toText(bytes))) : withRaw(bytes, decodeSpan(bytes));
}

function readLogRecord({ format, bytes }: StoredItem): LogRecord {
  return format === 'json' ? unwrap(decodeLogRecordJson(toText(bytes))) : withRaw(bytes, decodeLogRecord(bytes));
}

function readResource({ format, bytes, schemaUrl }: StoredGroup): { resource?: Resource; schemaUrl?: string } {
  const url = schemaUrl === '' ? {} : { schemaUrl };
  if (bytes.length === 0) return url;
  if (format === 'json') return { resource: unwrap(decodeResourceJson(toText(bytes))), ...url };
  return { resource: withRaw(bytes, decodeResource(bytes)), ...url };
}

function readScope({ format, bytes, schemaUrl }: StoredGroup): { scope?: InstrumentationScope; schemaUrl?: string } {
  const url = schemaUrl === '' ? {} : { schemaUrl };
  if (bytes.length === 0) return url;
  if (format === 'json') return { scope: unwrap(decodeScopeJson(toText(bytes))), ...url };
  return { scope: withRaw(bytes, decodeScope(bytes)), ...url };
}

/** What OTLP/JSON cannot hold of a message travels beside it as the bytes received (DESIGN section 7). */
function withRaw<Message extends Attributed>(bytes: Uint8Array, decoded: Result<Message>): Message {
  const message = unwrap(decoded);
  if (decoded.ok && decoded.isLossless === true) return message;
  const raw = { key: ATTR_REENACT_RAW, value: { stringValue: Buffer.from(bytes).toString('base64') } };
  return { ...message, attributes: [...(message.attributes ?? []), raw] };
}

function unwrap<Value>(result: Result<Value>): Value {
  if (result.ok) return result.value;
  throw new ReenactError('recording-damaged', `Stored telemetry cannot be read back: ${result.problem.message}.`, {
    next: 'Report this: everything is checked before it is acknowledged.',
  });
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
