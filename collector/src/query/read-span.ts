import { type PlainValue, type Span, type TracesData, toMap } from '@reenact/otlp';
import type { Crossing } from '@reenact/trace-model';

/** What a crossing says by itself, wherever in its trace it stands. */
export type ReadCrossing = Omit<Crossing, 'path' | 'order' | 'parentSpanId'>;

/** A span with its attributes and those of its resource as maps, read once. */
export interface ReadSpan {
  readonly span: Span;
  readonly attributes: ReadonlyMap<string, PlainValue>;
  readonly resource: ReadonlyMap<string, PlainValue>;
}

/** All spans of a trace, read. */
export function readSpans(data: TracesData): ReadSpan[] {
  return data.resourceSpans.flatMap((group) => {
    const resource = toMap(group.resource?.attributes);
    return group.scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ span, attributes: toMap(span.attributes), resource })),
    );
  });
}

/** An attribute that is a text; undefined where it is absent, empty or something else. */
export function textOf(attributes: ReadonlyMap<string, PlainValue>, key: string): string | undefined {
  const value = attributes.get(key);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** What is there, each once, sorted. */
export function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort();
}

/** Nanoseconds since 1970 as ISO 8601. */
export function toIsoTime(unixNano: bigint): string {
  const milliseconds = Number(unixNano / 1_000_000n);
  return new Date(Math.min(milliseconds, 8.64e15)).toISOString();
}
