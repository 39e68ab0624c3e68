import { semconvAttributes } from '@reenact/dialects';
import { type PlainValue, type Span, type TracesData, toMap } from '@reenact/otlp';
import type { ShownCrossing } from '@reenact/trace-model';

/** A crossing as its span tells it. */
export type ReadCrossing = ShownCrossing;

/** A span with its attributes and those of its resource as maps, read once. */
export interface ReadSpan {
  readonly span: Span;
  /** Name of its instrumentation scope. */
  readonly scope: string | undefined;
  /** In the words of the conventions, whatever vocabulary they were sent in. */
  readonly attributes: ReadonlyMap<string, PlainValue>;
  readonly resource: ReadonlyMap<string, PlainValue>;
}

/** All spans of a trace, read. */
export function readSpans(data: TracesData): ReadSpan[] {
  return data.resourceSpans.flatMap((group) => {
    const resource = toMap(group.resource?.attributes);
    return group.scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({ span, scope: scope?.name, attributes: semconvAttributes(span), resource })),
    );
  });
}

/** An attribute that is a text, or a number as one, which ids and codes often are; undefined where it is absent, empty or something else. */
export function textOf(attributes: ReadonlyMap<string, PlainValue>, key: string): string | undefined {
  const value = attributes.get(key);
  if (typeof value === 'number') return String(value);
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

/** Spans as a document has them: by their scopes. */
export function byScope(
  spans: Iterable<Pick<ReadSpan, 'span' | 'scope'>>,
): TracesData['resourceSpans'][number]['scopeSpans'] {
  const groups = Map.groupBy(spans, ({ scope }) => scope);
  return Array.from(groups, ([scope, scoped]) => ({
    ...(scope === undefined ? {} : { scope: { name: scope } }),
    spans: scoped.map(({ span }) => span),
  }));
}
