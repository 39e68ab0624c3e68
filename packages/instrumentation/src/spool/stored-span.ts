import type { Attributes, AttributeValue, Link, SpanContext } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';

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
  return { ...members, spanContext: () => context, ended: true, resource };
}

/** What is known of a resource now. To read its `attributes` before all of them are there is an error to OpenTelemetry, which it logs. */
function knownAttributes(resource: Resource): Attributes {
  if (resource.asyncAttributesPending !== true || typeof resource.getRawAttributes !== 'function')
    return resource.attributes;
  const known: Attributes = {};
  for (const [key, value] of resource.getRawAttributes()) {
    if (value !== undefined && value !== null && !('then' in Object(value))) known[key] ??= value as AttributeValue;
  }
  return known;
}

/** What a frame says of a resource. */
export function resourceParts(resource: Resource): string[] {
  const { schemaUrl } = resource;
  const attributes = knownAttributes(resource);
  return [JSON.stringify({ attributes, ...(schemaUrl === undefined ? {} : { schemaUrl }) })];
}
