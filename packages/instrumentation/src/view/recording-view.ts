import { type Attributes, type Link, SpanStatusCode } from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { SCHEMA_URL } from '@reenact/semconv/gen-ai';
import type { CrossingFacts } from '../gate/crossing-facts.ts';
import { guarded } from '../host/report-failure.ts';
import { redactAttributes } from '../redaction/places/redact-crossing.ts';
import { redactedEvents, redactedLinks } from '../redaction/places/redacted-span.ts';
import { INSTRUMENTATION_NAME, INSTRUMENTATION_VERSION } from '../version.ts';
import { firstVersionNames } from './first-version.ts';
import { inputReader, type ReadInput } from './input-tree.ts';
import { addPayloadAttributes } from './payload-attributes.ts';
import { wholeContent } from './shown-content.ts';

const SCOPE: InstrumentationScope = {
  name: INSTRUMENTATION_NAME,
  version: INSTRUMENTATION_VERSION,
  schemaUrl: SCHEMA_URL,
};

/** The host's span as the SDK reads it; undefined where the sampler dropped it or there was none. */
function readable(facts: CrossingFacts): ReadableSpan | undefined {
  const span = facts.span as Partial<ReadableSpan> | undefined;
  return span?.attributes !== undefined && span.resource !== undefined ? (span as ReadableSpan) : undefined;
}

/** The resource of the host's span, where it can be read. */
export function hostResource(facts: CrossingFacts): Resource | undefined {
  return readable(facts)?.resource;
}

/** What only the recording holds; nothing of it below full capture. */
function contentAttributes(facts: CrossingFacts, readInput: ReadInput): Attributes {
  const shown = guarded('describing content', () => wholeContent(facts, readInput), undefined);
  return shown ?? (facts.boundary.capture === 'full' ? facts.content : {});
}

/** What the host's code put on the span, without secrets; what the gate put there it says itself. */
function hostAttributes({ slim }: CrossingFacts, attributes: Attributes): Attributes {
  const keys = Object.keys(attributes).filter((key) => !Object.hasOwn(slim, key));
  if (keys.length === 0) return {};
  return redactAttributes(Object.fromEntries(keys.map((key) => [key, attributes[key]])));
}

function allAttributes(facts: CrossingFacts, span: ReadableSpan | undefined): Attributes {
  const readInput = inputReader(facts);
  const attributes = span === undefined ? {} : hostAttributes(facts, span.attributes);
  Object.assign(attributes, facts.slim, contentAttributes(facts, readInput));
  addPayloadAttributes(attributes, facts, readInput);
  return attributes;
}

/** The gate's own links, and those that the host's code added to the span. */
function allLinks(facts: CrossingFacts, span: ReadableSpan | undefined): Link[] {
  if (span === undefined || span.links.length === 0) return [...facts.links];
  const own = new Set(facts.links.map(({ context }) => context.spanId));
  return [...facts.links, ...redactedLinks(span.links.filter(({ context }) => !own.has(context.spanId)))];
}

/** Attributes the host's limits cut are whole in the view, so that only what the host added can still be missing. */
function stillDropped(facts: CrossingFacts, span: ReadableSpan): number {
  if (span.droppedAttributesCount === 0) return 0;
  const restored = Object.keys(facts.slim).filter((key) => !Object.hasOwn(span.attributes, key)).length;
  return Math.max(0, span.droppedAttributesCount - restored);
}

/** Gives the resource of a view from the resource of the host's span, which is undefined where there is none to read. */
export type ResourceOf = (host: Resource | undefined) => Resource;

function viewWith(facts: CrossingFacts, span: ReadableSpan | undefined, resourceOf: ResourceOf): ReadableSpan {
  const hostSetStatus = span !== undefined && span.status.code !== SpanStatusCode.UNSET;
  return {
    name: facts.spanName,
    kind: facts.spanKind,
    spanContext: () => facts.spanContext,
    ...(facts.parentSpanContext === undefined ? {} : { parentSpanContext: facts.parentSpanContext }),
    startTime: facts.startTime,
    endTime: facts.endTime,
    duration: facts.duration,
    status: hostSetStatus && facts.status.code === SpanStatusCode.UNSET ? span.status : facts.status,
    attributes: allAttributes(facts, span),
    links: allLinks(facts, span),
    events: [...(facts.flags ?? []), ...redactedEvents(span?.events ?? [])],
    ended: true,
    resource: resourceOf(span?.resource),
    instrumentationScope: SCOPE,
    ...firstVersionNames(SCOPE, facts.parentSpanContext),
    droppedAttributesCount: span === undefined ? 0 : stillDropped(facts, span),
    droppedEventsCount: span?.droppedEventsCount ?? 0,
    droppedLinksCount: span?.droppedLinksCount ?? 0,
  };
}

/**
 * What is exported for one crossing: a span built from the gate's own facts, with everything that the host's code added
 * to the real span where there is one that can be read. Neither the host's sampler nor its span limits take anything
 * from it.
 */
export function recordingView(facts: CrossingFacts, resourceOf: ResourceOf): ReadableSpan {
  const read = (): ReadableSpan => viewWith(facts, readable(facts), resourceOf);
  return guarded('reading the span of the host', read, undefined) ?? viewWith(facts, undefined, resourceOf);
}
