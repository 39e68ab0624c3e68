import {
  decodeLogRecordJson,
  decodeResourceJson,
  decodeScopeJson,
  decodeSpanJson,
  dropAttributes,
  encodeLogRecord,
  encodeResource,
  encodeScope,
  encodeSpan,
  type GroupSlice,
  type JsonMessage,
  type SliceFormat,
  writeExportRequest,
} from '@reenact/otlp';
import { REPLAY_KEYS } from '../payload-keys.ts';
import type { QueuedBatch, QueuedSignal, StoredGroup, StoredItem } from '../store/store.ts';

/** One request to a destination. */
export interface OutgoingRequest {
  readonly format: SliceFormat;
  readonly body: Uint8Array;
  /** The collectors it has passed, the one that sends it included. */
  readonly passed: readonly string[];
}

/** A request without items, which every OTLP endpoint takes that takes anything. */
export function emptyRequest(ownId: string): OutgoingRequest {
  return { format: 'protobuf', body: new Uint8Array(0), passed: [ownId] };
}

/**
 * Writes queued items as one export request. What was received as protobuf goes out byte for byte, without what
 * only a replay reads where `content` is slim; what was received as JSON becomes protobuf, which every OTLP endpoint takes.
 * Metrics go out exactly as they came in.
 */
export function writeBatch(batch: QueuedBatch, content: 'slim' | 'full', ownId: string): OutgoingRequest | undefined {
  const items = batch.entries.flatMap(({ item }) => (item === undefined ? [] : [item]));
  const [first] = items;
  if (first === undefined) return undefined;
  const passed = [...batch.passed, ownId];
  if (batch.signal === 'metrics') return { format: first.format, body: first.bytes, passed };
  const groups = new Map<string, GroupSlice>();
  const writable = items.map((item) => ({
    bytes: writtenItem(batch.signal, item, content),
    resource: toGroup(groups, 'resource', item.resource),
    scope: toGroup(groups, 'scope', item.scope),
  }));
  return { format: 'protobuf', body: writeExportRequest(writable), passed };
}

/** One span or log record as a request has it. */
export function writtenItem(signal: QueuedSignal, item: StoredItem, content: 'slim' | 'full'): Uint8Array {
  if (signal === 'logs')
    return item.format === 'json' ? encode(decodeLogRecordJson, encodeLogRecord, item) : item.bytes;
  const span = item.format === 'json' ? encode(decodeSpanJson, encodeSpan, item) : item.bytes;
  return content === 'slim' ? dropAttributes(span, REPLAY_KEYS) : span;
}

/** Items of one group share one object, by which the request writer groups them. */
function toGroup(groups: Map<string, GroupSlice>, kind: 'resource' | 'scope', group: StoredGroup): GroupSlice {
  const key = `${kind} ${group.id}`;
  const known = groups.get(key);
  if (known !== undefined) return known;
  const isJson = group.format === 'json' && group.bytes.length > 0;
  const bytes = isJson ? encodeGroup(kind, group) : group.bytes;
  // Members of JSON that OTLP does not know have a name and no number, so protobuf has no place for them.
  const isWritable = group.format === 'protobuf' && group.unknown !== undefined;
  const slice = { bytes, schemaUrl: group.schemaUrl, ...(isWritable ? { unknown: group.unknown } : {}) };
  groups.set(key, slice);
  return slice;
}

function encodeGroup(kind: 'resource' | 'scope', group: StoredGroup): Uint8Array {
  return kind === 'resource'
    ? encode(decodeResourceJson, encodeResource, group)
    : encode(decodeScopeJson, encodeScope, group);
}

/** Everything stored was decoded once before it was acknowledged, so a failure here leaves the item empty, not the queue stuck. */
function encode<Message>(
  decode: (text: string) => JsonMessage<Message>,
  write: (message: Message) => Uint8Array,
  { bytes }: { readonly bytes: Uint8Array },
): Uint8Array {
  const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
  return decoded.ok ? write(decoded.value) : new Uint8Array(0);
}
