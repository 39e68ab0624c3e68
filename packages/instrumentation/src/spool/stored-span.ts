import type { Link, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { firstVersionNames } from '../view/first-version.ts';
import { knownAttributes } from '../view/known-attributes.ts';

/** A span as JSON, without its resource. */
export type StoredSpan = Omit<ReadableSpan, 'spanContext' | 'resource' | 'ended'> & { readonly context: SpanContext };

/** A span context that JSON can hold: a trace state is an object with methods, and no exporter of ours sends it on. */
export function plainContext({ traceId, spanId, traceFlags, isRemote }: SpanContext): SpanContext {
  return { traceId, spanId, traceFlags, ...(isRemote === undefined ? {} : { isRemote }) };
}

/** Links that JSON can hold. */
export function plainLinks(links: readonly Link[]): Link[] {
  return links.map((link) => ({ ...link, context: plainContext(link.context) }));
}

/** What of a span is kept. */
export function storedSpan(span: ReadableSpan): StoredSpan {
  const { parentSpanContext: parent } = span;
  return {
    context: plainContext(span.spanContext()),
    ...(parent === undefined ? {} : { parentSpanContext: plainContext(parent) }),
    name: span.name,
    kind: span.kind,
    startTime: span.startTime,
    endTime: span.endTime,
    duration: span.duration,
    status: span.status,
    attributes: span.attributes,
    links: plainLinks(span.links),
    events: span.events,
    instrumentationScope: span.instrumentationScope,
    droppedAttributesCount: span.droppedAttributesCount,
    droppedEventsCount: span.droppedEventsCount,
    droppedLinksCount: span.droppedLinksCount,
  };
}

/** The span again, as exporters take it. */
export function readableSpan({ context, ...members }: StoredSpan, resource: Resource): ReadableSpan {
  const { parentSpanContext: parent } = members;
  // Older versions kept spans of an SDK of OpenTelemetry 1 without theirs, which no exporter takes.
  const instrumentationScope = (members as Partial<StoredSpan>).instrumentationScope ?? { name: '' };
  const names = { instrumentationScope, ...firstVersionNames(instrumentationScope, parent) };
  return { ...members, ...names, spanContext: () => context, ended: true, resource };
}

/** What a frame says of a resource. */
export function resourceParts(resource: Resource): string[] {
  const { schemaUrl } = resource;
  const attributes = knownAttributes(resource);
  return [JSON.stringify({ attributes, ...(schemaUrl === undefined ? {} : { schemaUrl }) })];
}
