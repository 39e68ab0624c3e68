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
  type WritableItem,
  writeExportRequest,
} from '@reenact/otlp';
import { lacksMemory } from '../memory/lacks-memory.ts';
import { REPLAY_KEYS } from '../payload-keys.ts';
import type { QueuedBatch, QueuedSignal, StoredGroup, StoredItem } from '../store/store.ts';
import { shortReason } from './short-reason.ts';

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

/** What became of a batch: one request of what can be written, and what cannot. */
interface WrittenBatch {
  /** Undefined where nothing of the batch can be written, or is there any more. */
  readonly request: OutgoingRequest | undefined;
  readonly unwritable: readonly UnwritableItem[];
}

/** One queued item that cannot be made an item of a request, and why. */
export interface UnwritableItem {
  readonly entry: QueuedBatch['entries'][number];
  readonly reason: string;
}

/** Bytes as a request has them, or why there are none. */
type Written = { readonly ok: true; readonly bytes: Uint8Array } | { readonly ok: false; readonly reason: string };

type WrittenGroup = { readonly ok: true; readonly slice: GroupSlice } | { readonly ok: false; readonly reason: string };

/**
 * Writes queued items as one export request. What was received as protobuf goes out byte for byte, without what
 * only a replay reads where `content` is slim; what was received as JSON becomes protobuf, which every OTLP endpoint takes.
 * Metrics go out exactly as they came in.
 */
export function writeBatch(batch: QueuedBatch, content: 'slim' | 'full', ownId: string): WrittenBatch {
  const passed = [...batch.passed, ownId];
  const groups = new Map<string, WrittenGroup>();
  const writable: WritableItem[] = [];
  const unwritable: UnwritableItem[] = [];
  for (const entry of batch.entries) {
    const { item } = entry;
    if (item === undefined) continue;
    if (batch.signal === 'metrics') return { request: { format: item.format, body: item.bytes, passed }, unwritable };
    const resource = toGroup(groups, 'resource', item.resource);
    const scope = toGroup(groups, 'scope', item.scope);
    const written = writtenItem(batch.signal, item, content);
    if (!resource.ok) unwritable.push({ entry, reason: `its resource: ${resource.reason}` });
    else if (!scope.ok) unwritable.push({ entry, reason: `its scope: ${scope.reason}` });
    else if (!written.ok) unwritable.push({ entry, reason: written.reason });
    else writable.push({ bytes: written.bytes, resource: resource.slice, scope: scope.slice });
  }
  if (writable.length === 0) return { request: undefined, unwritable };
  return { request: { format: 'protobuf', body: writeExportRequest(writable), passed }, unwritable };
}

/** One span or log record as a request has it. */
export function writtenItem(signal: QueuedSignal, item: StoredItem, content: 'slim' | 'full'): Written {
  const { bytes } = item;
  if (signal === 'logs')
    return item.format === 'json' ? encode(decodeLogRecordJson, encodeLogRecord, item) : { ok: true, bytes };
  const span: Written = item.format === 'json' ? encode(decodeSpanJson, encodeSpan, item) : { ok: true, bytes };
  return content === 'slim' && span.ok ? { ok: true, bytes: dropAttributes(span.bytes, REPLAY_KEYS) } : span;
}

/** Items of one group share one object, by which the request writer groups them. */
function toGroup(groups: Map<string, WrittenGroup>, kind: 'resource' | 'scope', group: StoredGroup): WrittenGroup {
  const key = `${kind} ${group.id}`;
  const known = groups.get(key) ?? writtenGroup(kind, group);
  groups.set(key, known);
  return known;
}

function writtenGroup(kind: 'resource' | 'scope', group: StoredGroup): WrittenGroup {
  const isJson = group.format === 'json' && group.bytes.length > 0;
  const written: Written = isJson ? encodeGroup(kind, group) : { ok: true, bytes: group.bytes };
  if (!written.ok) return written;
  // Members of JSON that OTLP does not know have a name and no number, so protobuf has no place for them.
  const isWritable = group.format === 'protobuf' && group.unknown !== undefined;
  const unknown = isWritable ? { unknown: group.unknown } : {};
  return { ok: true, slice: { bytes: written.bytes, schemaUrl: group.schemaUrl, ...unknown } };
}

function encodeGroup(kind: 'resource' | 'scope', group: StoredGroup): Written {
  return kind === 'resource'
    ? encode(decodeResourceJson, encodeResource, group)
    : encode(decodeScopeJson, encodeScope, group);
}

/** Everything stored was decoded once before it was acknowledged: what fails here was received by a version that took more. */
function encode<Message>(
  decode: (text: string) => JsonMessage<Message>,
  write: (message: Message) => Uint8Array,
  { bytes }: { readonly bytes: Uint8Array },
): Written {
  try {
    const decoded = decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8'));
    return decoded.ok
      ? { ok: true, bytes: write(decoded.value) }
      : { ok: false, reason: shortReason(decoded.problem.message) };
  } catch (thrown) {
    // It passes, and is not the item's: it stays queued and is tried again.
    if (lacksMemory(thrown)) throw thrown;
    return { ok: false, reason: shortReason(thrown instanceof Error ? thrown.message : String(thrown)) };
  }
}
