import { decodeLogRecord, decodeSpan } from '@reenact/otlp';
import type { QueuedBatch } from '../store/store.ts';
import { REFUSED_NAMES_MAX } from './limits.ts';
import { writtenItem } from './write-batch.ts';

/** Trace and span id, with a slash between, of the first items of a batch: a log line has room for few. */
export function itemNames({ signal, entries }: QueuedBatch): string[] {
  if (signal === 'metrics') return [];
  return entries.slice(0, REFUSED_NAMES_MAX).flatMap(({ item }) => {
    if (item === undefined) return [];
    const written = writtenItem(signal, item, 'full');
    if (!written.ok) return nameInText(item.bytes);
    const decoded = signal === 'logs' ? decodeLogRecord(written.bytes) : decodeSpan(written.bytes);
    return decoded.ok ? [nameOf(decoded.value)] : [];
  });
}

/** Of JSON that cannot be decoded, what looks like its ids: by them it is found in the store. */
function nameInText(bytes: Uint8Array): string[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const [, traceId] = /"traceId"\s*:\s*"([0-9a-f]{32})"/i.exec(text) ?? [];
  const [, spanId = ''] = /"spanId"\s*:\s*"([0-9a-f]{16})"/i.exec(text) ?? [];
  return traceId === undefined ? [] : [nameOf({ traceId, spanId })];
}

function nameOf({ traceId = '', spanId = '' }: { readonly traceId?: string; readonly spanId?: string }): string {
  return `${traceId || 'no trace'}/${spanId || 'no span'}`;
}
