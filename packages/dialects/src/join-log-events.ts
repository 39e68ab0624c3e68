import {
  type KeyValue,
  type LogRecord,
  type LogsData,
  type Span,
  type SpanEvent,
  type TracesData,
  toMap,
} from '@reenact/otlp';
import { ATTR_EVENT_NAME } from '@reenact/semconv/core';
import {
  EVENT_GEN_AI_ASSISTANT_MESSAGE,
  EVENT_GEN_AI_CHOICE,
  EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS,
  EVENT_GEN_AI_CONTENT_COMPLETION,
  EVENT_GEN_AI_CONTENT_PROMPT,
  EVENT_GEN_AI_SYSTEM_MESSAGE,
  EVENT_GEN_AI_TOOL_MESSAGE,
  EVENT_GEN_AI_USER_MESSAGE,
} from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_SCHEMA } from '@reenact/semconv/reenact';

/** Events that say what a model was asked and answered. */
const contentEvents: ReadonlySet<string> = new Set([
  EVENT_GEN_AI_CLIENT_INFERENCE_OPERATION_DETAILS,
  EVENT_GEN_AI_SYSTEM_MESSAGE,
  EVENT_GEN_AI_USER_MESSAGE,
  EVENT_GEN_AI_ASSISTANT_MESSAGE,
  EVENT_GEN_AI_TOOL_MESSAGE,
  EVENT_GEN_AI_CHOICE,
  EVENT_GEN_AI_CONTENT_PROMPT,
  EVENT_GEN_AI_CONTENT_COMPLETION,
]);

/** Before OTLP had a field for it, the name of an event was an attribute. */
function eventName(record: LogRecord): string | undefined {
  if (record.eventName !== undefined && record.eventName !== '') return record.eventName;
  const named = toMap(record.attributes).get(ATTR_EVENT_NAME);
  return typeof named === 'string' ? named : undefined;
}

function timeOf({ timeUnixNano, observedTimeUnixNano }: LogRecord): string {
  return timeUnixNano === undefined || timeUnixNano === '0' ? (observedTimeUnixNano ?? '0') : timeUnixNano;
}

/** A log record as an event of its span: the members of its body become attributes. */
function toSpanEvent(record: LogRecord, name: string): SpanEvent {
  const body: KeyValue[] = record.body?.kvlistValue?.values ?? [];
  return { timeUnixNano: timeOf(record), name, attributes: [...(record.attributes ?? []), ...body] };
}

function byTime(left: SpanEvent, right: SpanEvent): number {
  const [leftTime, rightTime] = [left.timeUnixNano.padStart(20, '0'), right.timeUnixNano.padStart(20, '0')];
  return leftTime === rightTime ? 0 : leftTime < rightTime ? -1 : 1;
}

function eventsBySpan(logs: LogsData): Map<string, SpanEvent[]> {
  const events = new Map<string, SpanEvent[]>();
  for (const record of logs.resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((scope) => scope.logRecords))) {
    const { traceId, spanId } = record;
    const name = eventName(record);
    if (traceId === undefined || spanId === undefined || name === undefined || !contentEvents.has(name)) continue;
    const key = `${traceId}/${spanId}`;
    events.set(key, [...(events.get(key) ?? []), toSpanEvent(record, name)]);
  }
  return events;
}

/**
 * Puts log events that hold what a model was asked and answered onto the spans they belong to (equal trace and span id),
 * as span events in the order of their times: so that whatever is done with the spans keeps them. Spans that Reenact
 * recorded hold their own payload and are left alone.
 */
export function joinLogEvents(data: TracesData, logs: LogsData): TracesData {
  const events = eventsBySpan(logs);
  if (events.size === 0) return data;
  const joined = (span: Span): Span => {
    const own = events.get(`${span.traceId}/${span.spanId}`);
    const isOurs = span.attributes?.some(({ key }) => key === ATTR_REENACT_SCHEMA) === true;
    return own === undefined || isOurs ? span : { ...span, events: [...(span.events ?? []), ...own].sort(byTime) };
  };
  return {
    resourceSpans: data.resourceSpans.map((group) => ({
      ...group,
      scopeSpans: group.scopeSpans.map((scope) => ({ ...scope, spans: scope.spans.map(joined) })),
    })),
  };
}
