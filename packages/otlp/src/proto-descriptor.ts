import type { INamespace } from 'protobufjs/light.js';

type FieldRow = readonly [type: string, id: number, rule?: 'repeated'];

function message(fields: Record<string, FieldRow>, oneofs?: Record<string, { oneof: string[] }>) {
  const described = Object.entries(fields).map(([name, [type, id, rule]]) => [
    name,
    rule === undefined ? { type, id } : { type, id, rule },
  ]);
  return { edition: 'proto2', fields: Object.fromEntries(described), ...(oneofs === undefined ? {} : { oneofs }) };
}

const ANY_VALUE_MEMBERS: Record<string, FieldRow> = {
  stringValue: ['string', 1],
  boolValue: ['bool', 2],
  intValue: ['int64', 3],
  doubleValue: ['double', 4],
  arrayValue: ['ArrayValue', 5],
  kvlistValue: ['KeyValueList', 6],
  bytesValue: ['bytes', 7],
};

const COMMON = {
  AnyValue: message(ANY_VALUE_MEMBERS, { value: { oneof: Object.keys(ANY_VALUE_MEMBERS) } }),
  ArrayValue: message({ values: ['AnyValue', 1, 'repeated'] }),
  KeyValueList: message({ values: ['KeyValue', 1, 'repeated'] }),
  KeyValue: message({ key: ['string', 1], value: ['AnyValue', 2] }),
  InstrumentationScope: message({
    name: ['string', 1],
    version: ['string', 2],
    attributes: ['KeyValue', 3, 'repeated'],
    droppedAttributesCount: ['uint32', 4],
  }),
  Resource: message({ attributes: ['KeyValue', 1, 'repeated'], droppedAttributesCount: ['uint32', 2] }),
};

const TRACE = {
  TracesData: message({ resourceSpans: ['ResourceSpans', 1, 'repeated'] }),
  ResourceSpans: message({
    resource: ['Resource', 1],
    scopeSpans: ['ScopeSpans', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  ScopeSpans: message({ scope: ['InstrumentationScope', 1], spans: ['Span', 2, 'repeated'], schemaUrl: ['string', 3] }),
  Span: message({
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    traceState: ['string', 3],
    parentSpanId: ['bytes', 4],
    flags: ['fixed32', 16],
    name: ['string', 5],
    kind: ['int32', 6],
    startTimeUnixNano: ['fixed64', 7],
    endTimeUnixNano: ['fixed64', 8],
    attributes: ['KeyValue', 9, 'repeated'],
    droppedAttributesCount: ['uint32', 10],
    events: ['SpanEvent', 11, 'repeated'],
    droppedEventsCount: ['uint32', 12],
    links: ['SpanLink', 13, 'repeated'],
    droppedLinksCount: ['uint32', 14],
    status: ['SpanStatus', 15],
  }),
  SpanEvent: message({
    timeUnixNano: ['fixed64', 1],
    name: ['string', 2],
    attributes: ['KeyValue', 3, 'repeated'],
    droppedAttributesCount: ['uint32', 4],
  }),
  SpanLink: message({
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    traceState: ['string', 3],
    attributes: ['KeyValue', 4, 'repeated'],
    droppedAttributesCount: ['uint32', 5],
    flags: ['fixed32', 6],
  }),
  SpanStatus: message({ message: ['string', 2], code: ['int32', 3] }),
};

const LOGS = {
  LogsData: message({ resourceLogs: ['ResourceLogs', 1, 'repeated'] }),
  ResourceLogs: message({
    resource: ['Resource', 1],
    scopeLogs: ['ScopeLogs', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  ScopeLogs: message({
    scope: ['InstrumentationScope', 1],
    logRecords: ['LogRecord', 2, 'repeated'],
    schemaUrl: ['string', 3],
  }),
  LogRecord: message({
    timeUnixNano: ['fixed64', 1],
    observedTimeUnixNano: ['fixed64', 11],
    severityNumber: ['int32', 2],
    severityText: ['string', 3],
    body: ['AnyValue', 5],
    attributes: ['KeyValue', 6, 'repeated'],
    droppedAttributesCount: ['uint32', 7],
    flags: ['fixed32', 8],
    traceId: ['bytes', 9],
    spanId: ['bytes', 10],
    eventName: ['string', 12],
  }),
};

const RESPONSES = {
  PartialSuccess: message({ rejected: ['int64', 1], errorMessage: ['string', 2] }),
  ExportResponse: message({ partialSuccess: ['PartialSuccess', 1] }),
  RpcStatus: message({ code: ['int32', 1], message: ['string', 2], details: ['Any', 3, 'repeated'] }),
  Any: message({ typeUrl: ['string', 1], value: ['bytes', 2] }),
  RetryInfo: message({ retryDelay: ['Duration', 1] }),
  Duration: message({ seconds: ['int64', 1], nanos: ['int32', 2] }),
};

/**
 * The OTLP 1.x messages Reenact reads and writes, as a protobufjs descriptor. Enums are declared as int32 so that a
 * number this version does not know survives. Read as proto2, which is the same on the wire: protobufjs then does not
 * refuse invalid UTF-8, and keeps apart what was sent as a default and what was not sent.
 */
export const OTLP_DESCRIPTOR: INamespace = { nested: { ...COMMON, ...TRACE, ...LOGS, ...RESPONSES } };
