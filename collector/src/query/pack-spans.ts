import type { StoredGroup, StoredSpan } from '../store/store.ts';
import type { SummarisedRun } from './run-summary.ts';

/** What the summary thread can be asked for. */
export interface SummaryCalls {
  /** A trace that has at least one span. */
  summarise: { ask: { traceId: string; spans: readonly StoredSpan[] }; answer: SummarisedRun };
}

/**
 * Spans in memory of their own that can move to another thread. What a store gives are views of whatever it keeps in its
 * caches, all of which would be copied along.
 */
export function packSpans(spans: readonly StoredSpan[]): {
  readonly spans: readonly StoredSpan[];
  readonly memory: ArrayBuffer;
} {
  const groups = new Set(spans.flatMap(({ resource, scope }) => [resource, scope]));
  const parts = [...spans, ...groups];
  const memory = new ArrayBuffer(parts.reduce((sum, { bytes }) => sum + bytes.length, 0));
  let at = 0;
  const move = (bytes: Uint8Array): Uint8Array => {
    const moved = new Uint8Array(memory, at, bytes.length);
    moved.set(bytes);
    at += bytes.length;
    return moved;
  };
  const moved = new Map<StoredGroup, StoredGroup>();
  for (const group of groups) moved.set(group, { ...group, bytes: move(group.bytes) });
  const packed = spans.map((span) => ({
    ...span,
    bytes: move(span.bytes),
    resource: moved.get(span.resource) ?? span.resource,
    scope: moved.get(span.scope) ?? span.scope,
  }));
  return { spans: packed, memory };
}
