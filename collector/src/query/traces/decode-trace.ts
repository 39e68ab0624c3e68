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
import { ATTR_REENACT_RAW, ATTR_REENACT_RAW_AROUND, ATTR_REENACT_RAW_REQUEST } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';
import type { StoredGroup, StoredItem } from '../../store/store.ts';

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

function readResource(group: StoredGroup): { resource?: Resource; schemaUrl?: string } {
  const { format, bytes, schemaUrl } = group;
  const url = schemaUrl === '' ? {} : { schemaUrl };
  const beside = attributesOfUnknown(group);
  if (bytes.length === 0) return beside.length === 0 ? url : { resource: { attributes: beside }, ...url };
  const resource =
    format === 'json' ? unwrap(decodeResourceJson(toText(bytes))) : withRaw(bytes, decodeResource(bytes));
  return { resource: withAttributes(resource, beside), ...url };
}

function readScope(group: StoredGroup): { scope?: InstrumentationScope; schemaUrl?: string } {
  const { format, bytes, schemaUrl } = group;
  const url = schemaUrl === '' ? {} : { schemaUrl };
  const beside = attributesOfUnknown(group);
  if (bytes.length === 0) return beside.length === 0 ? url : { scope: { name: '', attributes: beside }, ...url };
  const scope = format === 'json' ? unwrap(decodeScopeJson(toText(bytes))) : withRaw(bytes, decodeScope(bytes));
  return { scope: withAttributes(scope, beside), ...url };
}

/** A recording has no place of its own for what is around resources and scopes, so these carry it. */
function attributesOfUnknown({ format, unknown }: StoredGroup): KeyValue[] {
  if (unknown === undefined) return [];
  const parts = [
    { key: ATTR_REENACT_RAW_AROUND, bytes: unknown.group },
    { key: ATTR_REENACT_RAW_REQUEST, bytes: unknown.request },
  ];
  return parts.flatMap(({ key, bytes }) => {
    const stringValue = format === 'json' ? toText(bytes) : Buffer.from(bytes).toString('base64');
    return bytes.length === 0 ? [] : { key, value: { stringValue } };
  });
}

function withAttributes<Message extends Attributed>(message: Message, added: readonly KeyValue[]): Message {
  return added.length === 0 ? message : { ...message, attributes: [...(message.attributes ?? []), ...added] };
}

/** What OTLP/JSON cannot hold of a message travels beside it as the bytes received (DESIGN section 7). */
function withRaw<Message extends Attributed>(bytes: Uint8Array, decoded: Result<Message>): Message {
  const message = unwrap(decoded);
  if (decoded.ok && decoded.isLossless === true) return message;
  const raw = { key: ATTR_REENACT_RAW, value: { stringValue: Buffer.from(bytes).toString('base64') } };
  return withAttributes(message, [raw]);
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
