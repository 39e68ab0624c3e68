import { decodeLogRecord, decodeSpan } from '@reenact/otlp';
import type { QueuedBatch } from '../store/store.ts';
import { REFUSED_NAMES_MAX } from './limits.ts';
import { writtenItem } from './write-batch.ts';

/** Trace and span id, with a slash between, of the first items of a batch: a log line has room for few. */
export function itemNames({ signal, entries }: QueuedBatch): string[] {
  if (signal === 'metrics') return [];
  return entries.slice(0, REFUSED_NAMES_MAX).flatMap(({ item }) => {
    if (item === undefined) return [];
    const bytes = writtenItem(signal, item, 'full');
    const decoded = signal === 'logs' ? decodeLogRecord(bytes) : decodeSpan(bytes);
    return decoded.ok ? [nameOf(decoded.value)] : [];
  });
}

function nameOf({ traceId = '', spanId = '' }: { readonly traceId?: string; readonly spanId?: string }): string {
  return `${traceId || 'no trace'}/${spanId || 'no span'}`;
}
