/**
 * Spans in the OTLP/JSON shape of the OTLP 1.x file and HTTP formats: the one in-memory form every part of Reenact
 * shares. Ids are lower-case hex, 64-bit integers are decimal strings, bytes are base64. Unknown fields are kept.
 */

/** A double: a number, or "NaN", "Infinity", "-Infinity" as proto3 JSON spells them, or "-0", of which `JSON.stringify` would leave 0. */
export type NamedNumber = number | 'NaN' | 'Infinity' | '-Infinity' | '-0';

/** One OTLP AnyValue; exactly one member is set, none means null. */
export interface AnyValue {
  stringValue?: string;
  boolValue?: boolean;
  /** Decimal string, so that 64 bits survive. */
  intValue?: string;
  doubleValue?: NamedNumber;
  arrayValue?: { values: AnyValue[] };
  kvlistValue?: { values: KeyValue[] };
  /** Base64. */
  bytesValue?: string;
}

/** One attribute. */
export interface KeyValue {
  key: string;
  value: AnyValue;
}

/** What produced the telemetry. */
export interface Resource {
  attributes: KeyValue[];
  droppedAttributesCount?: number;
}

/** The instrumentation scope of a group of spans. */
export interface InstrumentationScope {
  name: string;
  version?: string;
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
}

/** A time-stamped event on a span. */
export interface SpanEvent {
  timeUnixNano: string;
  name: string;
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
}

/** A link from a span to another span. */
export interface SpanLink {
  traceId: string;
  spanId: string;
  traceState?: string;
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
  flags?: number;
}

/** 0 unset, 1 ok, 2 error. */
export interface SpanStatus {
  code?: 0 | 1 | 2;
  message?: string;
}

/** One span. `kind`: 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
export interface Span {
  traceId: string;
  spanId: string;
  traceState?: string;
  parentSpanId?: string;
  flags?: number;
  name: string;
  kind?: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
  events?: SpanEvent[];
  droppedEventsCount?: number;
  links?: SpanLink[];
  droppedLinksCount?: number;
  status?: SpanStatus;
}

/** Spans of one scope. */
export interface ScopeSpans {
  scope?: InstrumentationScope;
  spans: Span[];
  schemaUrl?: string;
}

/** Spans of one resource. */
export interface ResourceSpans {
  resource?: Resource;
  scopeSpans: ScopeSpans[];
  schemaUrl?: string;
}

/** The body of an export request, and one line of a fixture file. */
export interface TracesData {
  resourceSpans: ResourceSpans[];
}

/** One log record; only what joins it to a span is named, the rest is kept as received. */
export interface LogRecord {
  timeUnixNano?: string;
  observedTimeUnixNano?: string;
  severityNumber?: number;
  severityText?: string;
  body?: AnyValue;
  attributes?: KeyValue[];
  droppedAttributesCount?: number;
  flags?: number;
  traceId?: string;
  spanId?: string;
  eventName?: string;
}

/** Log records of one scope. */
export interface ScopeLogs {
  scope?: InstrumentationScope;
  logRecords: LogRecord[];
  schemaUrl?: string;
}

/** Log records of one resource. */
export interface ResourceLogs {
  resource?: Resource;
  scopeLogs: ScopeLogs[];
  schemaUrl?: string;
}

/** The body of a logs export request. */
export interface LogsData {
  resourceLogs: ResourceLogs[];
}
